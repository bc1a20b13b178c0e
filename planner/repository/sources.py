"""Reads the files of the repository that a plan is for: their names and their bytes.

Imports git's side only for a repository that exists.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.repo_path import RepoPath
from factory.plans.states.sources import NO_SOURCES, Sources
from factory.system.files.tree import Tree

if TYPE_CHECKING:
    from factory.system.git.client import Git


def present_sources(repo: Path | None) -> Sources:
    """The tracked files of a checkout, reached without following links; none of a new repository.

    Raises:
        WorkorderError: it is not a git repository.
    """
    if repo is None:
        return NO_SOURCES
    from factory.system.git.client import Git

    tree = Tree(repo)

    def read(path: str) -> bytes | None:
        file = tree.read(RepoPath.parse(path), max_bytes=MAX_SOURCE_BYTES)
        return None if file is None else file.data

    return Sources(Git.open(repo).tracked_files(), read)


def sources_of_one(sources: Sources, project: RepoPath | None) -> Sources:
    """The sources of a repository of which one directory may be the only project.

    Args:
        sources: the repository.
        project: the directory; None to ask the configuration.

    Raises:
        WorkorderError: no file of the repository lies in the directory.
    """
    if project is not None and not any(name.startswith(f"{project}/") for name in sources.files):
        raise WorkorderError(
            f"`{project}` is no directory of the repository: no file in it is tracked",
            where=f"--project {project}",
            hint=f"correct it, or commit a first file there, such as {project}/README.md",
        )
    return replace(sources, alone=project)


def committed_sources(git: "Git", commit: str) -> Sources:
    """The files of a commit, links and submodules not followed.

    Args:
        git: the repository.
        commit: the commit.

    Raises:
        GitError: git failed.
    """
    from factory.system.git.committed import committed_files

    return Sources(*committed_files(git, commit))
