"""Stage 2: examples become prompts, by a chat template in a sandbox, with digests."""
