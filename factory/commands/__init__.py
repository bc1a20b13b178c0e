"""One file a command of `factory`, its options, and the composition of the parts.

What a person may ask for and how it is wired together belongs here; decisions and text do not. May lean on
every room below, and nothing leans on it but the command line.
"""
