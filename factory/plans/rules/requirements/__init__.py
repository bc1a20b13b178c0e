"""W20x: which work orders take a requirement of the plan, and whether they prove it.

What compares requirements with the specification is the planner's. May lean on the room around it and on
commands.
"""
