"""The back end: executes work orders against a git repository and lands verified commits."""
