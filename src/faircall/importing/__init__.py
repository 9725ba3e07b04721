"""Stage 1: foreign rows become examples, or are dropped with exactly one reason."""
