"""What git says of a build: which work orders are done, and bases and candidates as trees.

Only git's objects and an index of its own; no checkout, no `state.json`. May lean on repository and system.
"""
