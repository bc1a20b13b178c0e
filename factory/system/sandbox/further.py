"""Which further directories a repository may show to commands: models, data sets; never what is private.

The repository may be somebody else's, and what a command reads may end in a commit.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from factory.system.sandbox.port import SandboxRefused
from factory.system.sandbox.visible import may_be_shown

_CLOSED: Final = (
    "/boot",
    "/dev",
    "/etc",
    "/proc",
    "/root",
    "/run",
    "/sys",
    "/var/lib",
    "/var/run",
    "/var/spool",
)
"""Where systems keep what is theirs, keys and accounts among it."""


def further_places(texts: Sequence[str], own: Mapping[str, str], where: str) -> tuple[Path, ...]:
    """The directories, each of which is there and may be shown.

    Args:
        texts: absolute paths, as the repository configures them.
        own: the factory's own environment variables, for the user's home.
        where: where they are configured.

    Raises:
        SandboxRefused: one of them is no directory here, or is or holds what commands may never see.
    """
    homes = {home for home in (own.get("HOME", ""), str(Path.home())) if home}
    return tuple(dict.fromkeys(_place(text, homes, where) for text in texts))


def _place(text: str, homes: set[str], where: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise SandboxRefused(
            f"there is no directory {text} on this machine",
            where=where,
            hint="make it, or correct the file and commit it",
        )
    real = path.resolve()
    closed = any(form.is_relative_to(top) for top in _CLOSED for form in (path, real))
    if closed or not may_be_shown(path, homes) or any(_is_private(form, homes) for form in (path, real)):
        raise SandboxRefused(
            f"commands may never see {text}",
            where=where,
            hint="name a directory that holds nothing but what they need, and that is no home",
        )
    return path


def _is_private(path: Path, homes: set[str]) -> bool:
    """Whether a place of a home is one where programs keep keys and settings."""
    forms = {form for home in homes for form in (Path(home), Path(os.path.realpath(home)))}
    return any(
        part.startswith(".")
        for home in forms
        if path.is_relative_to(home)
        for part in path.relative_to(home).parts
    )
