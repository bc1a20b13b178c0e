"""What commands find beside their checkout, as a value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from factory.contract.repo_path import RepoPath

Ecosystem = Literal["python", "node", "go", "rust"]

_SHOWN_HASH: Final = 12


@dataclass(frozen=True)
class Package:
    """A package of an environment.

    Attributes:
        ecosystem: whose it is.
        name: its name there, normalised.
        version: its version.
        is_direct: whether it was declared, not only needed by another.
    """

    ecosystem: Ecosystem
    name: str
    version: str
    is_direct: bool = False


@dataclass(frozen=True)
class Environment:
    """The interpreters and packages of a project, all below directories that commands can't change.

    Attributes:
        hash: SHA-256, in hex, of the locks, the platform and the interpreters: what the trailer names.
        python: the interpreter that `python` starts.
        programs: the directories that come first on PATH, in order.
        interpreters: the interpreters with their versions, as people read them, such as `python 3.11.2`.
        variables: environment variables by which tools find it, such as GOMODCACHE.
        visible: the places that the sandbox shows, read-only.
        node_modules: the directory that is found as `node_modules` above the checkout; None for none.
        workspaces: the directories, below the checkout's, of the packages of the repository's own that are
            found in `node_modules`, by their names.
        packages: what it holds, with those of the repository's own.
    """

    hash: str
    python: Path
    programs: tuple[Path, ...]
    interpreters: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    visible: tuple[Path, ...] = ()
    node_modules: Path | None = None
    workspaces: Mapping[str, RepoPath] = field(default_factory=dict)
    packages: tuple[Package, ...] = ()

    @property
    def description(self) -> str:
        """It in one line: `python 3.11.2, 5 packages, environment 1a2b3c4d5e6f`."""
        return described(self.interpreters, len(self.packages), self.hash)


def described(interpreters: Sequence[str], packages: int, full_hash: str) -> str:
    """An environment in one line, from what is recorded of it.

    Args:
        interpreters: the interpreters with their versions.
        packages: how many packages it holds.
        full_hash: its hash.
    """
    counted = "1 package" if packages == 1 else f"{packages} packages"
    return ", ".join((*interpreters, counted, f"environment {full_hash[:_SHOWN_HASH]}"))
