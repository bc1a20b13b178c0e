"""One file a command of `planner`, their options, and reading what they are given.

What a person may ask for belongs here; the loop that asks a model belongs to compile, text to report. May
lean on every room below.
"""
