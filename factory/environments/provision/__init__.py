"""Locks what the files of a commit leave open, and installs what is locked, each by its ecosystem's own tool.

No code of a package runs: wheels alone, no install scripts, and no Python of ours that would read a `.pth`.
What somebody allows to be built is built in the sandbox (`confined`).
What is asked for is read in `needs`, how a tool is run is in `tools`. May lean on both and on the cache.
"""
