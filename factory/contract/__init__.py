"""The documents that both stages agree on, their limits, canonical JSON and hashes. Pure.

No disk, clock, process or network. It leans on nothing of this project.
"""
