"""What a person reads: the live view, the lines at the end, status and show.

Takes models and values and gives text. It decides nothing and changes nothing. May lean on builds, runs and
all below them.
"""
