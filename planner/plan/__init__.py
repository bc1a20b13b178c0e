"""What a plan means: files, dependencies and symbols at each point, and the trace. Pure.

Judging is for rules. May lean on repository, specification and acceptance.
"""
