"""The public names of Python modules, in lines that a plan can copy.

What of it a prompt shows is for the planner. May lean on symbols.
"""
