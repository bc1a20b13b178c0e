"""The AGENTS.md files that concern some files: what a repository's people ask of those who change them.

Read from the commit that an attempt starts from, never from what an attempt left. A link is not followed, and
counts as none.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Final

from factory.attempt.prompt import AgentsFile
from factory.contract.limits import MAX_AGENTS_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.text import decoded
from factory.system.git.client import Git

NAME: Final = "AGENTS.md"

_REGULAR: Final = frozenset({"100644", "100755"})
_MAX_READ_BYTES: Final = 1_000_000
_AT_ONCE: Final = 200
"""How many paths one git call is given: a command line has an end."""


def nearest_agents(git: Git, commit: str, paths: Iterable[RepoPath]) -> tuple[AgentsFile, ...]:
    """For each path the AGENTS.md in its directory, or else the closest one above; each once, sorted by path.

    All together are cut to `MAX_AGENTS_BYTES`, at the end of a line.

    Args:
        git: the user's repository.
        commit: the commit's full id.
        paths: the files, whether or not they exist.

    Raises:
        GitError: git failed.
    """
    places = {path: tuple(_places(path)) for path in paths}
    blobs = _blobs(git, commit, sorted({place for candidates in places.values() for place in candidates}))
    nearest = {
        next((place for place in candidates if place in blobs), None) for candidates in places.values()
    }
    files: list[AgentsFile] = []
    left = MAX_AGENTS_BYTES
    # What is nearest to the files is the last to be cut.
    for path in sorted(filter(None, nearest), key=lambda path: (-len(path.segments), path)):
        blob, size = blobs[path]
        if size > _MAX_READ_BYTES:
            files.append(AgentsFile(path, "", f"is larger than {_MAX_READ_BYTES:,} bytes"))
            continue
        text, problem = decoded(git.output("cat-file", "blob", blob))
        text, is_cut = _cut(text, left)
        left -= len(text.encode("utf-8"))
        files.append(AgentsFile(path, text, problem, is_cut))
    return tuple(sorted(files, key=lambda file: file.path))


def _places(path: RepoPath) -> Iterator[RepoPath]:
    """Where an AGENTS.md that concerns `path` may lie, the nearest first."""
    folders = path.segments[:-1]
    for depth in range(len(folders), -1, -1):
        yield RepoPath("/".join((*folders[:depth], NAME)))


def _blobs(git: Git, commit: str, paths: list[RepoPath]) -> dict[RepoPath, tuple[str, int]]:
    """The id and the size of those paths that are regular files of a commit."""
    blobs: dict[RepoPath, tuple[str, int]] = {}
    for start in range(0, len(paths), _AT_ONCE):
        asked = paths[start : start + _AT_ONCE]
        listing = git.output("ls-tree", "-z", "-l", "--full-tree", commit, "--", *asked)
        for entry in filter(None, listing.split(b"\0")):
            facts, _, name = os.fsdecode(entry).partition("\t")
            mode, _, blob, size = facts.split()
            if mode in _REGULAR:
                blobs[RepoPath(name)] = (blob, int(size))
    return blobs


def _cut(text: str, limit: int) -> tuple[str, bool]:
    """The whole lines of a text that fit into a number of bytes, and whether something is missing."""
    data = text.encode("utf-8")
    if len(data) <= limit:
        return text, False
    return data[: data.rfind(b"\n", 0, limit) + 1].decode("utf-8"), True
