"""The one place that starts processes, the supervisor that leaves nothing alive, signals and stops.

What a command may touch is said by the sandbox. May lean on files, the sandbox's port and contract.
"""
