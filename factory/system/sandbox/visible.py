"""Which places of the machine a confined command needs: the system's programs, the interpreter, the PATH."""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store")
"""Where systems keep programs and libraries. Some of them are links on some systems, some are missing."""

SETTINGS: Final = (
    "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime",
    "/etc/timezone", "/etc/nsswitch.conf", "/etc/mime.types", "/etc/os-release", "/etc/protocols",
    "/etc/services", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates",
    "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted", "/etc/java", "/etc/fonts",
    # Pip ends where it may not read these.
    "/etc/debian_version", "/etc/lsb-release", "/etc/redhat-release",
)  # fmt: skip
"""Settings that hold nothing of a user."""

NETWORK_SETTINGS: Final = ("/etc/resolv.conf", "/etc/gai.conf")
"""Settings that only a machine's network makes necessary."""

_NEVER: Final = ("/", "/boot", "/dev", "/etc", "/home", "/media", "/mnt", "/proc", "/root", "/run", "/srv",
                 "/sys", "/tmp", "/usr/local/sbin", "/var", "/var/tmp")  # fmt: skip

_INSTALLED: Final = ("bin", "include", "lib", "lib64", "libexec")


def needed(environment: Mapping[str, str], own: Mapping[str, str]) -> tuple[Path, ...]:
    """The places that a command with this environment needs beside the system's, existing ones only.

    A home directory, or a directory that holds one, is never among them, whatever the variables say.

    Args:
        environment: the command's environment.
        own: the factory's own environment, for the user's home.
    """
    # Not `sys.prefix`: what Workorder needs is no part of any project.
    places = [sys.base_prefix, sys.base_exec_prefix]
    for entry in environment.get("PATH", "").split(os.pathsep):
        # The names in it are links to where things are installed.
        places += [entry, *_environment_of(entry)]
    places += environment.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    places.append(environment.get("PYENV_ROOT", ""))
    for program in ("python", "python3", "node", "cargo"):
        program_path = shutil.which(program, path=environment.get("PATH", ""))
        if program_path is not None:
            places += _installation_of(Path(program_path).resolve())
    homes = {own.get("HOME", ""), str(Path.home())}
    shown = [part for place in map(Path, places) for part in _without_data(place, homes)]
    return tuple(dict.fromkeys(path for path in shown if may_be_shown(path, homes)))


def environments_in(root: Path) -> tuple[Path, ...]:
    """The virtual environments at the top of a directory; links are none."""
    with os.scandir(root) as entries:
        return tuple(
            sorted(
                Path(entry.path)
                for entry in entries
                if entry.is_dir(follow_symlinks=False) and os.path.lexists(f"{entry.path}/pyvenv.cfg")
            )
        )


def is_there(path: Path) -> bool:
    """Whether something is at a path, and we may know of it."""
    try:
        path.stat()
    except OSError:
        return False
    return True


def _environment_of(programs: str) -> Iterable[str]:
    """The virtual environment whose programs these are, and the installation that it was made from."""
    prefix = Path(programs).parent
    if not programs.startswith("/"):
        return []
    try:
        lines = (prefix / "pyvenv.cfg").read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    homes = [
        value.strip() for name, _, value in (line.partition("=") for line in lines) if name.strip() == "home"
    ]
    return [
        str(prefix),
        *(str(Path(os.path.realpath(home)).parent) for home in homes if home.startswith("/")),
    ]


def _installation_of(program: Path) -> Iterable[str]:
    """What a program in `PREFIX/bin` was installed with, if `PREFIX` holds nothing else than that."""
    prefix = program.parent.parent
    include = prefix / "include"
    parts = (include / "node", prefix / "lib" / "rustlib")
    if program.parent.name == "bin" and (any(include.glob("python3*")) or any(map(is_there, parts))):
        return [str(prefix)]
    return [str(program.parent)]


def _without_data(place: Path, homes: set[str]) -> Iterable[Path]:
    """A place; of the one in a home where programs keep data and keys as well, those parts that hold none."""
    if any(home and place.resolve() == (Path(home) / ".local").resolve() for home in homes):
        return [place / part for part in _INSTALLED]
    return [place]


def may_be_shown(path: Path, homes: set[str]) -> bool:
    """Whether a place is there, and is no home, nor a place of the system that holds more than programs.

    Args:
        path: the place.
        homes: the homes; nothing that holds one may be shown.
    """
    if not path.is_absolute() or ".." in path.parts or not is_there(path):
        return False
    real = path.resolve()
    if (
        str(real) in _NEVER
        or str(path) in _NEVER
        or any(real.is_relative_to(top) for top in ("/proc", "/sys"))
    ):
        return False
    return not any(home and Path(home).resolve().is_relative_to(real) for home in homes)
