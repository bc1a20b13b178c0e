"""The interpreter that Workorder's own environment was made from, and virtual environments around one."""

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True)
class Interpreter:
    """A Python interpreter without a virtual environment around it.

    Attributes:
        executable: its program; a real path.
        version: its version, such as `3.11.2`.
    """

    executable: Path
    version: str

    @property
    def description(self) -> str:
        """It as people read it, such as `python 3.11.2`."""
        return f"python {self.version}"

    @property
    def minor(self) -> str:
        """The version's first two numbers."""
        return ".".join(self.version.split(".")[:2])


INTERPRETER: Final = Interpreter(
    Path(os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)),
    platform.python_version(),
)
"""The one that runs this, without its virtual environment."""


def write_virtual_environment(folder: Path, interpreter: Interpreter) -> Path:
    """Write an empty virtual environment, as `python -m venv --without-pip` does; it may be moved.

    Args:
        folder: an empty directory.
        interpreter: what it is made around.

    Returns:
        The directory for packages.
    """
    programs = folder / "bin"
    programs.mkdir()
    (programs / "python").symlink_to(interpreter.executable)
    for name in ("python3", f"python{interpreter.minor}"):
        (programs / name).symlink_to("python")
    settings = {
        "home": interpreter.executable.parent,
        "include-system-site-packages": "false",
        "version": interpreter.version,
        "executable": interpreter.executable,
    }
    (folder / "pyvenv.cfg").write_text("".join(f"{name} = {value}\n" for name, value in settings.items()))
    site = folder / "lib" / f"python{interpreter.minor}" / "site-packages"
    site.mkdir(parents=True)
    return site
