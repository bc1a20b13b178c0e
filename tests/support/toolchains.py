"""Programs of other languages that a machine may lack: where they are, and marks for tests that need them.

Asked at once: the environment of a test names no home, in which a toolchain may be chosen.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest


def _cargo_folder() -> str:
    """Where cargo itself is: rustup's program of that name only looks for it."""
    try:
        asked = subprocess.run(["rustup", "which", "cargo"], capture_output=True, text=True, check=False)
    except OSError:
        asked = None
    place = asked.stdout.strip() if asked is not None and asked.returncode == 0 else shutil.which("cargo")
    # Rustup's may be there without any toolchain.
    runs = place and subprocess.run([place, "--version"], capture_output=True, check=False).returncode == 0
    return str(Path(place).parent) if place and runs else ""


_CARGO = _cargo_folder()


def _has_sparse_registries() -> bool:
    """Whether cargo is of version 1.68 or newer: older ones read registries as git repositories alone."""
    said = subprocess.run(
        [f"{_CARGO}/cargo", "--version"], capture_output=True, text=True, check=False
    ).stdout
    version = re.match(r"cargo (\d+)\.(\d+)", said)
    return version is not None and (int(version[1]), int(version[2])) >= (1, 68)


PROGRAMS = os.pathsep.join(filter(None, (_CARGO, os.environ.get("PATH", os.defpath))))
"""A PATH on which cargo needs no home."""

needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
needs_cargo = pytest.mark.skipif(not _CARGO, reason="cargo is not installed, or has no toolchain")
needs_sparse_registries = pytest.mark.skipif(
    not (_CARGO and _has_sparse_registries()), reason="cargo reads no sparse registry before version 1.68"
)
