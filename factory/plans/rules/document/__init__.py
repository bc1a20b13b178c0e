"""E0xx: is it a manifest that can be read at all?

May lean on the room around it.
"""
