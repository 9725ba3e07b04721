"""Stage 5: parsed calls become components; every metric is a sum of components."""
