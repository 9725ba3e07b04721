"""Stage 3: prompts become generations. The only folder that runs models or opens sockets."""
