"""The back end: executes work orders against a git repository and lands verified commits.

A command line over rooms; the layers in `pyproject.toml` say which room may lean on which. Nothing here knows
`planner`.
"""
