"""Parsing: raw text in, `Parsed` out. A failure is a value here, never an exception."""
