"""Limits that the kernel keeps for all processes of a command together: control groups.

Finds where groups can be made, and makes one for each command; what the group's numbers mean for a running
command is for the watch. Limits of single processes are for levels. May lean on the policy and files.
"""
