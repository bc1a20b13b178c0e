"""`workorder.toml`: the document, and reading it from a commit.

What the repository's owner may configure belongs here; a command's options do not. May lean on system and
contract.
"""
