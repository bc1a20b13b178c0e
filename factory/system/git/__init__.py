"""The one place that calls git, and the one reader of a commit's trailers.

What a repository's state means is for repository and builds. May lean on process, files and contract.
"""
