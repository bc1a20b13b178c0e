"""The doors to the outside: processes, git, files, the terminal, the sandbox, the clock.

No decision of a run. What both stages read from disk, plans and notes, is read here, too, because nothing
below knows a disk. May lean on contract alone.
"""
