"""E1xx and W1xx: which files exist at which point of the plan.

May lean on the room around it and on states.
"""
