"""E20x and W20x: whether the plan takes up what the specification says.

May lean on the room around it and on specification.
"""
