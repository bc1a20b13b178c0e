"""One finding as a value, and its forms: for a person, a log, a program, GitHub. Pure.

What is found is for rules. May lean on contract.
"""
