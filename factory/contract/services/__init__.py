"""Services that commands need beside them, as plans and `workorder.toml` declare them. Pure.

Not here: what the factory knows of presets, and how services are run.
"""
