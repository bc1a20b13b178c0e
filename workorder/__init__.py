"""The command `workorder`: a thin door to both stages, and the start of a project.

It starts what `planner` and `factory` do and decides nothing itself. Neither of the two knows it.
"""
