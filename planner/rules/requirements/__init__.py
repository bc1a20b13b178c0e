"""E20x, W20x: whether the plan takes up what the specification says; W220: what a second opinion says of it.

May lean on the room around it and on specification.
"""
