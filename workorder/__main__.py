"""The command `workorder`, also as `python -m workorder`: nothing of the current directory is run.

`-m` looks for every module there first, and so do relative entries of PYTHONPATH; it may be a repository
with code that a model wrote. What Python itself imports before this, or a package `workorder` there, is
beyond reach: the console command and `python -P -m workorder` look there for nothing.
"""

import os
import sys


def _leave_current_directory() -> None:
    """Take it off the path, with what lies below it by a relative entry."""
    entries = ("", *os.environ.get("PYTHONPATH", "").split(os.pathsep))
    try:
        # As Python itself made them absolute.
        relative = [os.path.abspath(entry) for entry in entries if not os.path.isabs(entry)]
    except FileNotFoundError:
        # The current directory is gone, and nothing can be imported from there.
        relative = []
    sys.path[:] = [entry for entry in sys.path if os.path.isabs(entry) and entry not in relative]
    # Where this runs from its sources, the other packages are there, too.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# Before anything else is imported: it could come from there. Therefore each package's `__main__` has a
# copy of this function, and they share none.
_leave_current_directory()

from workorder.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
