"""Prompts spread over workers, on an engine or over a pool of servers; files are those of one process."""
