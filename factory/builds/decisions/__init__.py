"""What a build does next, as functions of values: where it stands, what it is told, what follows.

Pure: no git, no disk, no clock, no threads. `loop` fetches messages and carries out acts; whatever is chosen
between them is chosen here. May lean on the state's model, attempt and contract.
"""
