"""Reads the repository's configuration from a commit. What it may hold is in `document`."""

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Final

from factory.configuration.document import (
    MAX_BYTES,
    OWN_FILE,
    PROJECT_FILE,
    BadConfiguration,
    Configuration,
    read_configuration,
)
from factory.contract.canonical import sha256_hex
from factory.contract.repo_path import RepoPath
from factory.system.git.changes import entries
from factory.system.git.client import Git

OF_A_PROJECT: Final = frozenset({"checks", "environment"})
"""What a project configures for itself."""

OF_ONE_ALONE: Final = frozenset(Configuration.model_fields) - {"projects"}
"""What a project configures that is all there is: it has none within it."""

_LINK_MODE: Final = "120000"


def configuration_at(
    git: Git, commit: str, project: RepoPath | None = None, *, alone: bool = False
) -> Configuration:
    """The configuration that a commit of the user's repository holds.

    It is taken from the baseline and never from the files of an attempt: a model that could write
    `workorder.toml` could otherwise switch off the checks that judge it.

    Args:
        git: the user's repository.
        commit: the commit's full id.
        project: the directory of a project, whose own configuration it is; None for the root.
        alone: whether the project is all there is, so that it says everything for itself.

    Raises:
        BadConfiguration: the configuration can't be used.
        GitError: git failed.
    """
    # Their sizes first: nothing is read that is too large.
    places = {f"{project}/{name}" if project else name: name for name in (OWN_FILE, PROJECT_FILE)}
    listing = git.output("ls-tree", "-z", "-l", "--full-tree", commit, "--", *places)
    files: dict[str, bytes] = {}
    for entry in filter(None, listing.split(b"\0")):
        facts, _, path = os.fsdecode(entry).partition("\t")
        mode, kind, blob, size = facts.split()
        if mode == _LINK_MODE:
            files[places[path]] = _linked(git, commit, path)
        elif kind == "blob":
            files[places[path]] = _bytes(git, blob, int(size), path)
        else:
            raise BadConfiguration("is not a file", where=path)
    try:
        configuration = read_configuration(files.get(OWN_FILE), files.get(PROJECT_FILE))
    except BadConfiguration as error:
        if project is None:
            raise
        raise BadConfiguration(error.message, where=f"{project}/{error.where}", hint=error.hint) from error
    if project is not None:
        _require_own(configuration, project, OF_ONE_ALONE if alone else OF_A_PROJECT)
    return configuration


def _require_own(configuration: Configuration, project: RepoPath, own: Set[str]) -> None:
    """Refuse what only the configuration at the root may say."""
    general = sorted(configuration.model_fields_set - own)
    if general:
        raise BadConfiguration(
            f"a project's own configuration can't hold {', '.join(f'`{key}`' for key in general)}",
            where=f"{project}/{OWN_FILE}",
            hint=f"move it to `{OWN_FILE}` at the root, where it counts for all projects",
        )


def file_at(git: Git, revision: str, path: RepoPath) -> bytes | None:
    """The bytes of a file in a commit or a tree; None if it has no file there.

    Raises:
        GitError: git failed.
    """
    _, kind, name = _entry(git, revision, path)
    return git.output("cat-file", "blob", name) if kind == "blob" else None


def link_at(git: Git, revision: str, path: RepoPath) -> str | None:
    """Where a symbolic link in a commit leads; None if there is no link.

    Raises:
        GitError: git failed.
    """
    mode, _, name = _entry(git, revision, path)
    return os.fsdecode(git.output("cat-file", "blob", name)) if mode == _LINK_MODE else None


def links(git: Git, revision: str, paths: Sequence[RepoPath]) -> tuple[RepoPath, ...]:
    """Those of the paths that are symbolic links in a commit.

    Raises:
        GitError: git failed.
    """
    present = entries(git, revision, paths)
    return tuple(path for path in paths if (entry := present[path]) is not None and entry.mode == _LINK_MODE)


def _entry(git: Git, revision: str, path: RepoPath) -> tuple[str, str, str]:
    """The mode, the kind and the object of a path; empty where there is none."""
    listing = os.fsdecode(git.output("ls-tree", "-z", "--full-tree", revision, "--", path))
    mode, kind, name = (*listing.partition("\t")[0].split(), "", "", "")[:3]
    return mode, kind, name


def changed_hashes(git: Git, old: str, new: str, paths: Iterable[RepoPath]) -> Mapping[str, str]:
    """The SHA-256 of those files that differ between two commits or trees, as the newer one has them.

    Raises:
        GitError: git failed.
    """
    texts = {path: file_at(git, new, path) for path in sorted(paths)}
    return {
        path: sha256_hex(text)
        for path, text in texts.items()
        if text is not None and text != file_at(git, old, path)
    }


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
