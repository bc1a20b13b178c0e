"""E206 to E211: whether a revised plan changes what it may.

May lean on the room around it and on revision.
"""
