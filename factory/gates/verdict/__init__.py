"""How far a command's exit code can be believed: by what else can be known of the way it ended.

Programs of ours, in `programs`, run pytest, unittest and Python code for a command and report by a pipe of
their own; what is read from it is hostile. May lean on contract and on system's commands and pipes, and not
on checks.
"""
