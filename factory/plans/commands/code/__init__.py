"""What the code of `python -c` and `node -e` commands uses, claims and depends on, by its syntax. Pure.

Runs nothing and knows no plan. May lean on the room around it.
"""
