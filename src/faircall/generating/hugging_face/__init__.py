"""Backends on transformers and PEFT, and the folders that their models and adapters come from."""
