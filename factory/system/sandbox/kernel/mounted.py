"""Which control group this process is in, read from what /proc tells of mounts and membership. Pure.

See proc_pid_mountinfo(5) and cgroups(7). Version 1 has a tree for each controller, or a few together;
version 2 one for all, whose own files tell which controllers it has.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal

_ESCAPED: Final = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class Own:
    """This process's control group in one tree.

    Attributes:
        version: of control groups.
        folder: its directory.
        controllers: those of the tree; none for version 2.
    """

    version: Literal[1, 2]
    folder: PurePosixPath
    controllers: frozenset[str] = frozenset()


def own_groups(mountinfo: str, membership: str) -> tuple[Own, ...]:
    """This process's group in every tree that is mounted where the process can reach its group.

    Args:
        mountinfo: /proc/self/mountinfo.
        membership: /proc/self/cgroup.
    """
    paths: dict[frozenset[str], str] = {}
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        paths[frozenset(filter(None, controllers.split(",")))] = path
    return tuple(_of_mounts(mountinfo, paths))


def _of_mounts(mountinfo: str, paths: dict[frozenset[str], str]) -> Iterator[Own]:
    for line in mountinfo.splitlines():
        mount, _, filesystem = line.partition(" - ")
        kind, _, options = filesystem.split(" ", 2)
        root, place = (_unescaped(word) for word in mount.split(" ")[3:5])
        if kind == "cgroup2":
            named: frozenset[str] = frozenset()
        elif kind == "cgroup":
            named = next(
                (names for names in paths if names and names <= set(options.split(","))), frozenset()
            )
        else:
            continue
        path = _below(root, paths.get(named, "")) if named or kind == "cgroup2" else None
        if path is not None:
            yield Own(2 if kind == "cgroup2" else 1, PurePosixPath(place, path), named)


def _below(root: str, path: str) -> str | None:
    """A group's path below the group that is mounted; None if it lies elsewhere, or is gone."""
    # Outside of our namespace of groups, paths begin with `/..`.
    if not path.startswith("/") or ".." in path.split("/") or path.endswith(" (deleted)"):
        return None
    if root == "/":
        return path.lstrip("/")
    return path[len(root) :].lstrip("/") if f"{path}/".startswith(f"{root}/") else None


def _unescaped(word: str) -> str:
    return _ESCAPED.sub(lambda escape: chr(int(escape[1], 8)), word)
