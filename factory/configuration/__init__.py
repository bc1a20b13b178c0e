"""The user's configuration, `workorder.toml` and beyond: what it holds, what counts, who may change it.

What the repository's owner may configure belongs here, and what a work order may change of it; a command's
options do not. May lean on system and contract.
"""
