"""Stage 6: two arms become a comparison, or a refusal that names every differing field."""
