"""Python symbols, as plans write them and as sources define them, read by `ast`. Pure.

Nothing is imported or run; files come through a function that the caller gives. May lean on contract.
"""
