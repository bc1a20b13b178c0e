"""What commands find beside their checkout, as a value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

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
        packages: what it holds.
    """

    hash: str
    python: Path
    programs: tuple[Path, ...]
    interpreters: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    visible: tuple[Path, ...] = ()
    node_modules: Path | None = None
    packages: tuple[Package, ...] = ()

    @property
    def short_hash(self) -> str:
        """As much of the hash as people are shown."""
        return self.hash[:_SHOWN_HASH]

    @property
    def description(self) -> str:
        """It in one line: `python 3.11.2, 5 packages, environment 1a2b3c4d5e6f`."""
        count = len(self.packages)
        packages = "1 package" if count == 1 else f"{count} packages"
        return ", ".join((*self.interpreters, packages, f"environment {self.short_hash}"))
