"""What the engineer reads beside its own files: the `AGENTS.md` that concern it, and the symbols it consumes.

Gathering only, from git objects; the prompt's words belong to attempt. May lean on contract and system.
"""
