"""Python: which packages a repository asks for, and what its lock files pin.

Values in, values out, as in the room above. May lean on what is declared and on contract.
"""
