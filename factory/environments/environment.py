"""What commands find beside their checkout, as a value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Ecosystem = Literal["python", "node", "go", "rust"]


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
        variables: environment variables by which tools find it, such as GOMODCACHE.
        visible: the places that the sandbox shows, read-only.
        node_modules: the directory that is found as `node_modules` above the checkout; None for none.
        packages: what it holds.
    """

    hash: str
    python: Path
    programs: tuple[Path, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    visible: tuple[Path, ...] = ()
    node_modules: Path | None = None
    packages: tuple[Package, ...] = ()
