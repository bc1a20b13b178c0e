"""Where the repository is, and what belongs to it and to the user outside of it."""

import os
from hashlib import sha256
from pathlib import Path
from typing import Final

_DIGITS: Final = 12
_NAME: Final = "workorder"


def repository_of(place: Path) -> Path | None:
    """The root of the repository that a directory lies in; None if it lies in none."""
    for folder in (place.resolve(), *place.resolve().parents):
        if (folder / ".git").exists():
            return folder
    return None


def state_of(repo: Path) -> Path:
    """Where a repository's plans and artifacts go by default: by its name, and the hash of its place."""
    # Slow to import, and only here.
    from platformdirs import PlatformDirs

    place = repo.resolve()
    name = f"{place.name}-{sha256(os.fsencode(place)).hexdigest()[:_DIGITS]}"
    return PlatformDirs(_NAME, appauthor=False).user_state_path / name


def user_file() -> Path:
    """The user's own configuration, which may be missing."""
    from platformdirs import PlatformDirs

    return PlatformDirs(_NAME, appauthor=False).user_config_path / "config.toml"


def latest_plan(state: Path) -> Path | None:
    """The plan that `workorder go` made last; None before the first."""
    number = 0
    while (state / f"plan-{number + 1}" / "WORK_ORDERS_MANIFEST.json").exists():
        number += 1
    return state / f"plan-{number}" if number else None
