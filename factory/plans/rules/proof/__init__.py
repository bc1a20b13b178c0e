"""E4xx and W4xx: what acceptance commands prove.

May lean on the room around it and on commands.
"""
