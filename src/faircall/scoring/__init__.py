"""Scoring: examples and parses in, integer components per example out. All else adds them up."""
