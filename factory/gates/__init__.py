"""What a check is, how a command is run and how its ending is judged.

The checks themselves, and what runs before a model is paid, have rooms inside. What follows from a failure
belongs to attempt. May lean on checkout, configuration and attempt, and not on runs.
"""
