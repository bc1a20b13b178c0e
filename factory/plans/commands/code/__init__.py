"""What the code of `python -c` commands uses, claims and depends on, seen through its syntax. Pure.

Runs nothing and knows no plan. May lean on the room around it.
"""
