"""Programs that run in the place of a command's own, in the command's interpreter.

They import nothing of this project, and what a checkout holds can't take a place of theirs: their text is
handed over by a descriptor, `begin` first. Standard library only, and little of it.
"""
