"""Intervals, tests and resampling over arrays and seeds. Knows nothing of tool calls."""
