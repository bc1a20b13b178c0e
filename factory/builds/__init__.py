"""Many work orders on one branch: the ready-set loop, its workers, and the landing queue.

How one work order is attempted belongs to runs; what to do next, and what git and `state.json` say of a
build, to the rooms inside. May lean on runs and all below. It is not called `build`, because tools pass over
folders of that name.
"""
