"""Which configuration of a branch counts: the newest that no work order changed without a person's consent.

Since such a change is refused before it is written, only commits of earlier versions, or made by hand, are
passed over. A person's own change of the configuration counts, and so does a commit, an empty one too, with
the trailer that names the file and the hash of its content.
"""

import shlex
from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from factory.configuration.committed import OF_A_PROJECT, configuration_at, file_at
from factory.configuration.document import OWN_FILE, PROJECT_FILE, Configuration
from factory.configuration.guarded_parts import own_table
from factory.configuration.pytest_sections import Unreadable
from factory.contract.canonical import sha256_hex
from factory.contract.repo_path import RepoPath
from factory.system.git.client import Git
from factory.system.git.commits import (
    ACCEPTED,
    WORK_ORDER,
    Commit,
    accepted_contents,
    changed_files,
    commits_naming,
    last_commit_changing,
)
from factory.system.terminal.console import visible

_FILES: Final = (OWN_FILE, PROJECT_FILE)


@dataclass(frozen=True)
class InForce:
    """A configuration that counts.

    Attributes:
        configuration: what it says.
        passed_over: for each commit whose change does not count, a line that says so.
    """

    configuration: Configuration
    passed_over: tuple[str, ...] = ()


def configuration_of_one(git: Git, commit: str, project: RepoPath | None) -> InForce:
    """The configuration that counts where one directory may be the only project.

    Checks and packages are then that directory's alone. What else its own file says counts before what the
    root's does.

    Args:
        git: the user's repository.
        commit: the commit's full id.
        project: the directory; None for a repository that is taken as it is.

    Raises:
        BadConfiguration: the configuration can't be used.
        GitError: git failed.
    """
    general = configuration_in_force(git, commit)
    if project is None:
        return general
    own = configuration_in_force(git, commit, project, alone=True)
    said = {
        name: getattr(own.configuration, name)
        for name in {*own.configuration.model_fields_set, *OF_A_PROJECT}
    }
    configuration = general.configuration.model_copy(update={**said, "projects": (project,)})
    return InForce(configuration, (*general.passed_over, *own.passed_over))


def configuration_in_force(
    git: Git, commit: str, project: RepoPath | None = None, *, alone: bool = False
) -> InForce:
    """The configuration that counts for what starts from a commit.

    Args:
        git: the user's repository.
        commit: the commit's full id.
        project: the directory of a project, whose own configuration it is; None for the root.
        alone: whether the project is all there is, so that it says everything for itself.

    Raises:
        BadConfiguration: the configuration can't be used.
        GitError: git failed.
    """
    files = tuple(RepoPath.parse(f"{project}/{name}" if project else name) for name in _FILES)
    landed = [made.id for made in commits_naming(git, commit) if made.trailers[WORK_ORDER] and made.parent]
    changed = changed_files(git, landed) if landed else {}
    suspects = {name for name, names in changed.items() if any(path in names for path in files)}
    if not suspects:
        return InForce(configuration_at(git, commit, project, alone=alone))
    counts, passed_over = _beyond(git, commit, suspects, files)
    return InForce(configuration_at(git, counts, project, alone=alone), passed_over)


def _beyond(
    git: Git, commit: str, suspects: Set[str], files: tuple[RepoPath, ...]
) -> tuple[str, tuple[str, ...]]:
    """Go back from the newest change of the configuration to the newest that counts; say what does not."""
    accepted = accepted_contents(git, commit)
    counts, looked_at = commit, commit
    passed_over: list[str] = []
    while True:
        newest = last_commit_changing(git, looked_at, files)
        if newest is None or not newest.parent:
            break
        changes = _changes(git, newest, files)
        if changes and (newest.id not in suspects or changes <= accepted):
            break
        if changes:
            counts = newest.parent
            passed_over.append(_line(newest, changes))
        looked_at = newest.parent
    return counts, tuple(passed_over)


def _changes(git: Git, commit: Commit, files: tuple[RepoPath, ...]) -> Set[str]:
    """What a commit configures otherwise than its parent: each file as the trailer names it."""
    changes = set()
    for path in files:
        before, after = file_at(git, commit.parent, path), file_at(git, commit.id, path)
        if _configured(path, before) != _configured(path, after):
            # What is gone has the name of a file without content.
            changes.add(f"{sha256_hex(after or b'')} {path}")
    return changes


def _configured(path: RepoPath, text: bytes | None) -> object:
    if path.segments[-1] == OWN_FILE or text is None:
        return text
    try:
        return own_table(text)
    except Unreadable:
        return text


def _line(commit: Commit, changes: Set[str]) -> str:
    trailers = " ".join(f"-m {shlex.quote(f'{ACCEPTED}: {change}')}" for change in sorted(changes))
    files = " and ".join(sorted(f"`{change.partition(' ')[2]}`" for change in changes))
    return (
        f"{files} as {visible(commit.trailers[WORK_ORDER])} changed it in {commit.id[:12]} does not count,"
        " because no person accepted that; to accept it:"
        f" git commit --allow-empty -m 'Accept the configuration' {trailers}"
    )
