"""What holds at each point of a plan: files, dependencies and symbols. Pure.

Judging is for rules, reading a repository for whoever has one. May lean on commands and contract.
"""
