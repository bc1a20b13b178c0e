"""Who the files of a throw-away checkout belong to, so that root's commands need not run as root."""

import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

# Far above what systems give to people, services and containers, so that it owns nothing else.
_FIRST_USER: Final = 1_900_000_000
_USERS: Final = 65_536
# In a container that has no more than 65,536 users: the part that Debian's policy leaves free.
_FIRST_SMALL_USER: Final = 65_000
_SMALL_USERS: Final = 500


def throw_away_user(root: Path) -> int:
    """The user that root's commands become in a throw-away checkout: one that owns nothing else."""
    number = zlib.crc32(os.fsencode(root))
    large = _FIRST_USER + number % _USERS
    return large if _is_mapped(large) else _FIRST_SMALL_USER + number % _SMALL_USERS


def _is_mapped(user: int) -> bool:
    """Whether the user exists in the namespace that we are in."""
    try:
        lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    except OSError:
        return False
    ranges = [tuple(map(int, line.split())) for line in lines]
    return any(first <= user < first + count for first, _, count in ranges)


def hand_over(places: Sequence[Path], user: int) -> None:
    """Give directories with all that is in them to a user, as far as it is still root's own.

    Raises:
        PermissionError: this root may not do that.
    """
    from factory.system.process import capture

    done = capture(
        [
            *("find", "-P", *map(str, places), "-xdev", "-user", "0"),
            *("-exec", "chown", "-h", f"{user}:{user}", "--", "{}", "+"),
            # Git looks at times to the second. A change of owner moves one of a file's two times; where the
            # other stays behind, git would trust a file that is edited within that second.
            *("-exec", "touch", "-h", "-c", "--", "{}", "+"),
        ],
        cwd=None,
        env=dict(os.environ),
    )
    if not done.ok:
        said = done.stderr.decode("utf-8", "backslashreplace").strip().splitlines()
        raise PermissionError(f"the checkout can't be given to user {user}: {said[-1] if said else '?'}")
