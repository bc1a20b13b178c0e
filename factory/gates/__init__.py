"""The gates: what a check is, which there are, how a command is run and judged."""
