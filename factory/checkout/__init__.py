"""Where attempts work: throw-away checkouts, their pool, the user's own checkout, and what a kill leaves.

Making, handing out and removing belong here; the user's branch does not. May lean on repository, attempt and
system.
"""
