"""Templates, and what of a repository a prompt shows, within a limit of tokens.

Asking belongs to compile. May lean on repository, specification, contract and factory's plans.
"""
