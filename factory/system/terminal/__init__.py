"""The console, the command-line parser and the edge of a program, which both commands share.

What is printed is decided elsewhere. May lean on contract, and on the signals of process.
"""
