"""Python: its symbols, outlines, mutants and commands, read by `ast`.

What acceptance commands say in Python is read in the plans' rooms. May lean on the port and on contract.
"""
