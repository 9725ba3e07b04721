"""Stage 7: comparisons and evaluations become text that people and machines read."""
