"""The folder of a run: the names and models of its files, and how each kind of ending is written.

Writers and readers of artifacts meet here. It holds no decision about the attempt itself. May lean on
attempt, repository and below.
"""
