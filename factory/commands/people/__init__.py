"""What a person does about a work order that has failed, one file a command, and how its build was called.

The records of it are in `factory.people`. May lean on the other commands, whose calls are carried out again.
"""
