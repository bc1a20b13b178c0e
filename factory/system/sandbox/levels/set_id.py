"""What confined code left in a directory that would be dangerous outside of it."""

import os
from pathlib import Path

from factory.system.process.capture import capture


def strip_set_id(root: Path) -> int:
    """Take the set-user and set-group bits off every file below a directory.

    A filter of system calls keeps confined code from setting them, but not in every way that there is.
    Directories keep theirs: there the bit only says which group new files get. No link is followed, and
    depth doesn't matter. A throw-away checkout needs none of this: until it is removed, either nobody else
    can reach it, or its files belong to a user that owns nothing else.

    Args:
        root: an absolute path.

    Returns:
        How many files had one.
    """
    done = capture(
        [
            *("find", "-P", str(root), "-xdev", "-type", "f", "-perm", "/6000"),
            # In the directory of each, because its whole path may be too long to be named.
            *("-print0", "-execdir", "chmod", "ug-s", "--", "{}", "+"),
        ],
        cwd=None,
        env=os.environ,
    )
    return done.stdout.count(b"\0")
