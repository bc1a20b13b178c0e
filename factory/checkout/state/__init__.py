"""Noticing and undoing what commands did to a checkout and its git directory.

What is looked at is named in each module. Which checkout it is, and when to look, is for the room around it.
May lean on system.
"""
