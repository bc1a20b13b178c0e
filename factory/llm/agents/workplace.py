"""Where an agent works, and who it is, as values; what makes them stands above."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from factory.contract.repo_path import RepoPath
from factory.system.network.allowed import Allowed
from factory.system.sandbox.port import Confinement

Kind = Literal["agent", "acp"]

DEFAULT_TIMEOUT_SECONDS: Final = 3_600.0
"""How long an agent may work on one attempt."""


@dataclass(frozen=True)
class Engineer:
    """An agent as the user named it.

    Attributes:
        kind: how it is talked to.
        words: the program as the user wrote it, and its arguments.
        program: where it is.
        visible: what it needs to see beside what every command sees, its program among it.
        variables: the variables that it sees beside those of every command, its key among them.
        files: the files and directories of the user that it may read.
        secrets: what must not be shown of it.
        hosts: what it may reach by a proxy.
        timeout_seconds: how long it may work on one attempt.
    """

    kind: Kind
    words: tuple[str, ...]
    program: Path
    visible: tuple[Path, ...]
    variables: Mapping[str, str]
    files: tuple[Path, ...] = ()
    secrets: tuple[str, ...] = ()
    hosts: tuple[Allowed, ...] = ()
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS


@dataclass(frozen=True)
class Workplace:
    """A checkout at the baseline that an agent may change.

    Attributes:
        root: the directory with the files.
        home: an empty directory that takes the place of a home.
        temporary: a directory for temporary files.
        variables: the environment variables of every command.
        confined: the sandbox around it, given what it may see beside; None starts it as it is.
        may_write: the files that a proposal may hold.
        before: what a file of the baseline holds; None if there is none.
        ignored: which of some new files git does not look at.
        restore: puts the checkout back to the baseline, whatever happened there.
    """

    root: Path
    home: Path
    temporary: Path
    variables: Mapping[str, str]
    confined: Callable[[Sequence[Path]], Confinement | None]
    may_write: tuple[RepoPath, ...]
    before: Callable[[RepoPath], bytes | None]
    ignored: Callable[[Sequence[str]], frozenset[str]]
    restore: Callable[[], None]
