"""E3xx: who provides which symbol, and who consumes it.

May lean on the room around it and on states.
"""
