"""The toolchain that rustup would choose: its `cargo` looks for one in a home, which commands lack."""

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from factory.system.files.tree import FileProblem, read_bounded

_MAX_SETTINGS_BYTES: Final = 100_000


def default_toolchain(own: Mapping[str, str], path: str) -> tuple[str, ...]:
    """The directory with the programs of rustup's default toolchain; nothing where `cargo` is not rustup's.

    What the checkout asks for in `rust-toolchain.toml` is not looked for.

    Args:
        own: the factory's own environment.
        path: where programs are searched.
    """
    cargo = shutil.which("cargo", path=path)
    if cargo is None or not _is_same(cargo, Path(cargo).parent / "rustup"):
        return ()
    home = Path(own.get("RUSTUP_HOME") or f"{own.get('HOME', '')}/.rustup")
    try:
        settings = tomllib.loads(read_bounded(home / "settings.toml", max_bytes=_MAX_SETTINGS_BYTES).decode())
    except (FileProblem, ValueError):
        return ()
    name = settings.get("default_toolchain")
    if not isinstance(name, str) or not name or "/" in name:
        return ()
    programs = home / "toolchains" / name / "bin"
    return (str(programs),) if programs.is_absolute() and (programs / "cargo").is_file() else ()


def _is_same(program: str, other: Path) -> bool:
    try:
        return Path(program).samefile(other)
    except OSError:
        return False
