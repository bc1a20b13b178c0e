"""The repository that a plan is for: its files' names and bytes, and what has landed.

Reads; changes nothing. May lean on factory's plans and system.
"""
