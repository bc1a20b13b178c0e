"""E1xx and W1xx: paths that commands and intents name, and paths that can't be there together.

May lean on the room around it, on commands and on states.
"""
