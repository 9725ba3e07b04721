"""Stage 4: raw text becomes a parsed call or a reason; nothing is repaired."""
