"""What a command proves: what its code demands, what it pins, which values it expects. Pure.

May lean on the room around it and on code.
"""
