"""Reads how two trees differ, file by file. What follows from it is for others."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factory.system.git.client import Git


@dataclass(frozen=True)
class Entry:
    """A file in a tree: its mode in octal and the name of its blob."""

    mode: str
    blob: str


@dataclass(frozen=True)
class Change:
    """What happened to one file between two trees; None where there was, or is, no file."""

    before: Entry | None
    after: Entry | None


Changes = Mapping[str, Change]
"""By path, sorted."""


def changes(git: Git, old: str, new: str) -> Changes:
    """The files that differ between two trees or commits."""
    # Without renames, each record is five fields and then one path.
    output = git.output("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new)
    parts = output.split(b"\0")
    changed: dict[str, Change] = {}
    for facts, name in zip(parts[0::2], parts[1::2], strict=False):
        mode_before, mode_after, blob_before, blob_after, _ = facts.decode("ascii").removeprefix(":").split()
        changed[os.fsdecode(name)] = Change(_entry(mode_before, blob_before), _entry(mode_after, blob_after))
    return dict(sorted(changed.items()))


def entries(git: Git, tree: str, paths: Sequence[str]) -> dict[str, Entry | None]:
    """What a tree has at some paths, files and directories; None where there is nothing."""
    if not paths:
        return {}
    found: dict[str, Entry | None] = dict.fromkeys(paths)
    for record in git.output("ls-tree", "-z", "--full-tree", tree, "--", *paths).split(b"\0"):
        facts, tab, name = record.partition(b"\t")
        if tab:
            mode, _, blob = facts.decode("ascii").split(" ")
            found[os.fsdecode(name)] = Entry(mode, blob)
    return found


def _entry(mode: str, blob: str) -> Entry | None:
    return None if mode == "000000" else Entry(mode, blob)
