"""The repository that a plan is for: its files' names and bytes, its modules, and what has landed.

Reads; changes nothing. May lean on specification, acceptance and factory's system.
"""
