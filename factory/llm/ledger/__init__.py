"""Every model call, remembered under its content before its answer is used.

Asking is for adapters, limits for spending. May lean on the port, system's files and contract.
"""
