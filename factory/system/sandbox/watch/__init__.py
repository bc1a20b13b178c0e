"""Holding a command to its limits while it runs.

Looks at descendants and strikes; setting limits of the kernel is for levels. May lean on the policy and
files.
"""
