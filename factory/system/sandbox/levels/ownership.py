"""Who the files of a throw-away checkout belong to, so that root's commands need not run as root."""

import os
import stat
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Final

# Far above what systems give to people, services and containers, so that it owns nothing else.
_FIRST_USER: Final = 1_900_000_000
_USERS: Final = 65_536
# In a container that has no more than 65,536 users: the part that Debian's policy leaves free.
_FIRST_SMALL_USER: Final = 65_000
_SMALL_USERS: Final = 500

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def throw_away_user(root: Path) -> int:
    """The user that root's commands become in a throw-away checkout: one that owns nothing else."""
    number = zlib.crc32(os.fsencode(root))
    large = _FIRST_USER + number % _USERS
    return large if _is_mapped(large) else _FIRST_SMALL_USER + number % _SMALL_USERS


def other_user(user: int) -> int:
    """For a throw-away user another one, and for that one the first again."""
    return user ^ 1


def is_throw_away_user(user: int) -> bool:
    """Whether a user can be one that root's commands become."""
    large, small = user - _FIRST_USER, user - _FIRST_SMALL_USER
    return 0 <= large < _USERS or 0 <= small < _SMALL_USERS


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

    Looks at all of it; `hand_over_entries` does not. Nothing that has another name elsewhere is given away:
    commands of that user may have been here.

    Raises:
        PermissionError: this root may not do that.
    """
    from factory.system.process.capture import capture

    done = capture(
        [
            *(
                "find",
                "-P",
                *map(str, places),
                "-xdev",
                "-user",
                "0",
                "(",
                "-type",
                "d",
                "-o",
                "-links",
                "1",
                ")",
            ),
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


def hand_over_entries(root: Path, paths: Iterable[str], user: int) -> None:
    """Give some entries of a directory tree to a user, as far as they are still root's own.

    No link is followed on the way, nor is anything that has another name elsewhere given away: commands of
    that user may have been here.

    Args:
        root: the directory above all of them.
        paths: their paths below it; of a directory only the entry itself is given. What is missing, or
            reached only through a link, is passed over.
        user: the user and group that they are given to.

    Raises:
        OSError: this root may not do that.
    """
    for folder, below in groupby(sorted(map(os.path.split, paths)), key=lambda parts: parts[0]):
        with suppress(FileNotFoundError, NotADirectoryError):
            opened = _opened(root, folder)
            try:
                for _, name in below:
                    with suppress(FileNotFoundError):
                        _hand_over_entry(opened, name, user)
            finally:
                os.close(opened)


def _opened(root: Path, folder: str) -> int:
    """A descriptor of a directory below `root`, reached without a link."""
    opened = os.open(root, _DIRECTORY)
    for name in filter(None, folder.split("/")):
        above = opened
        try:
            opened = os.open(name, _DIRECTORY, dir_fd=above)
        finally:
            os.close(above)
    return opened


def _hand_over_entry(folder: int, name: str, user: int) -> None:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if status.st_uid == 0 and (stat.S_ISDIR(status.st_mode) or status.st_nlink == 1):
        os.chown(name, user, user, dir_fd=folder, follow_symlinks=False)
        # See above: both of a file's times move together.
        os.utime(name, dir_fd=folder, follow_symlinks=False)
