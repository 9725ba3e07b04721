"""The repeat check: prompts generated again, and where the answers part."""
