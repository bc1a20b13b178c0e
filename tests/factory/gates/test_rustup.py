"""The toolchain that rustup would choose is found; anything else is left as it is."""

import os
from pathlib import Path

import pytest

from factory.gates.rustup import default_toolchain

NAME = "stable-x86_64-unknown-linux-gnu"


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in which rustup was installed."""
    program(tmp_path / ".cargo/bin/rustup")
    program(tmp_path / f".rustup/toolchains/{NAME}/bin/cargo")
    (tmp_path / ".rustup/settings.toml").write_text(f'default_toolchain = "{NAME}"\n', "utf-8")
    return tmp_path


def found(home: Path, **own: str) -> tuple[str, ...]:
    return default_toolchain({"HOME": str(home), **own}, str(home / ".cargo/bin"))


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_the_default_toolchain_stands_for_rustups_own_cargo(home: Path, link: object) -> None:
    assert callable(link)
    link(home / ".cargo/bin/rustup", home / ".cargo/bin/cargo")
    assert found(home) == (str(home / f".rustup/toolchains/{NAME}/bin"),)
    (home / ".rustup").rename(home / "elsewhere")
    assert found(home) == ()
    assert found(home, RUSTUP_HOME=str(home / "elsewhere")) == (
        str(home / f"elsewhere/toolchains/{NAME}/bin"),
    )


def test_another_cargo_is_left_alone(home: Path) -> None:
    assert found(home) == ()
    program(home / ".cargo/bin/cargo").write_text("#!/bin/sh\necho another\n", "utf-8")
    assert found(home) == ()


@pytest.mark.parametrize(
    "settings", ["", "default_toolchain = 3", 'default_toolchain = "../x"', "[", 'default_toolchain = "none"']
)
def test_settings_that_name_no_toolchain_are_passed_over(home: Path, settings: str) -> None:
    (home / ".cargo/bin/cargo").symlink_to(home / ".cargo/bin/rustup")
    (home / ".rustup/settings.toml").write_text(settings, "utf-8")
    assert found(home) == ()
