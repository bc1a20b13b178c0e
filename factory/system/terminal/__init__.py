"""The console and the command-line parser that both commands share.

What is printed is decided elsewhere. May lean on contract.
"""
