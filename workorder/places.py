"""Where the repository is, and what belongs to it and to the user outside of it."""

import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Final

_DIGITS: Final = 12
_NAME: Final = "workorder"
_DATA: Final = (".json", ".yaml", ".yml")


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


def plans(state: Path) -> tuple[Path, ...]:
    """The plans that were made for a repository, the latest last."""
    made: list[Path] = []
    while (state / f"plan-{len(made) + 1}" / "WORK_ORDERS_MANIFEST.json").exists():
        made.append(state / f"plan-{len(made) + 1}")
    return tuple(made)


def keep_spec(plan: Path, spec: Path | None) -> None:
    """Keep what a plan among them was made for where `workorder go` looks for it.

    Args:
        plan: the plan.
        spec: the specification; None if it is that of the plan before.
    """
    kept = plan.with_name(f"spec-{plan.name.removeprefix('plan-')}")
    for suffix in ("", *_DATA):
        Path(f"{kept}{suffix}").unlink(missing_ok=True)
    if spec is not None:
        # By its end, data is told from text.
        suffix = spec.suffix.lower()
        shutil.copyfile(spec, f"{kept}{suffix if suffix in _DATA else ''}")
