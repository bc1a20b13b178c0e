"""Reads the repository's configuration from a commit. What it may hold is in `document`."""

import os
from typing import Final

from factory.configuration.document import (
    MAX_BYTES,
    OWN_FILE,
    PROJECT_FILE,
    BadConfiguration,
    Configuration,
    read_configuration,
)
from factory.system.git.client import Git

_LINK_MODE: Final = "120000"


def configuration_at(git: Git, commit: str) -> Configuration:
    """The configuration that a commit of the user's repository holds.

    It is taken from the baseline and never from the files of an attempt: a model that could write
    `workorder.toml` could otherwise switch off the checks that judge it.

    Args:
        git: the user's repository.
        commit: the commit's full id.

    Raises:
        BadConfiguration: the configuration can't be used.
        GitError: git failed.
    """
    # Their sizes first: nothing is read that is too large.
    listing = git.output("ls-tree", "-z", "-l", "--full-tree", commit, "--", OWN_FILE, PROJECT_FILE)
    files: dict[str, bytes] = {}
    for entry in filter(None, listing.split(b"\0")):
        facts, _, name = os.fsdecode(entry).partition("\t")
        mode, kind, blob, size = facts.split()
        if mode == _LINK_MODE:
            files[name] = _linked(git, commit, name)
        elif kind == "blob":
            files[name] = _bytes(git, blob, int(size), name)
        else:
            raise BadConfiguration("is not a file", where=name)
    return read_configuration(files.get(OWN_FILE), files.get(PROJECT_FILE))


def _linked(git: Git, commit: str, name: str) -> bytes:
    """The file of the commit that a symbolic link leads to."""
    answer = git.text(
        "cat-file", "--batch-check", "--follow-symlinks", stdin=os.fsencode(f"{commit}:{name}\n")
    ).split()
    if len(answer) != 3 or answer[1] != "blob":
        raise BadConfiguration("is a symbolic link that leads to no file of the commit", where=name)
    return _bytes(git, answer[0], int(answer[2]), name)


def _bytes(git: Git, blob: str, size: int, name: str) -> bytes:
    if size > MAX_BYTES:
        raise BadConfiguration(f"has {size:,} bytes; the limit is {MAX_BYTES:,}", where=name)
    return git.output("cat-file", "blob", blob)
