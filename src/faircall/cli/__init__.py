"""The command line: one module per verb; parses arguments and prints, nothing else."""
