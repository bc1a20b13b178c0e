"""The environment of commands that judge an attempt: made from an allow-list, with no key and no token."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.system.files.tree import write_atomic
from factory.system.process.environment import PROGRAM_PLACES, leading_nowhere_else, searched_places

_SECRET: Final = re.compile(r"KEY|TOKEN|SECRET|PASS|PWD$|CREDENTIAL|AUTH(?!OR)|COOKIE", re.IGNORECASE)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Shorter values are words such as `yes`, which any variable may hold.
_SHORTEST_SECRET: Final = 8


def gate_environment(
    own: Mapping[str, str], *, home: Path, temporary: Path, passed: Iterable[str] = ()
) -> dict[str, str]:
    """The environment of verification and acceptance commands: the same on every machine as far as can be.

    Args:
        own: the factory's environment.
        home: an empty directory that takes the place of the user's home; a `python` is put beside it where
            the user's PATH has none.
        temporary: an empty directory for temporary files.
        passed: names of further variables that the user lets through.

    Raises:
        WorkorderError: one of `passed` is no name of a variable, or looks like a secret.
    """
    names = tuple(passed)
    for name in names:
        _refuse_secret(name, own)
    environment = leading_nowhere_else({name: own[name] for name in (*PROGRAM_PLACES, *names) if name in own})
    environment.update(
        PATH=_gate_path(own, home.parent / "bin"),
        HOME=str(home),
        TMPDIR=str(temporary),
        USER="workorder",
        LOGNAME="workorder",
        LANG="C.UTF-8",
        LC_ALL="C.UTF-8",
        TZ="UTC",
        TERM="dumb",
        COLUMNS="100",
        NO_COLOR="1",
        PYTHONHASHSEED="0",
        PYTHONDONTWRITEBYTECODE="1",
        PYTHONNOUSERSITE="1",
        PYTHONUNBUFFERED="1",
        # The graph library's companions bring a plugin for pytest, which would double the time of its start.
        PYTEST_ADDOPTS="-p no:langsmith_plugin",
        GIT_TERMINAL_PROMPT="0",
        GIT_CONFIG_NOSYSTEM="1",
        # A command that removes the checkout's .git must not find a repository above it.
        GIT_CEILING_DIRECTORIES=str(home.parent),
        PIP_DISABLE_PIP_VERSION_CHECK="1",
        PIP_NO_INPUT="1",
    )
    return environment


def _refuse_secret(name: str, own: Mapping[str, str]) -> None:
    if not _NAME.fullmatch(name):
        raise WorkorderError(
            "is not the name of a variable", where=f"--pass-env {name}", hint="give the name alone"
        )
    secrets = {value for other, value in own.items() if _SECRET.search(other)}
    value = own.get(name, "")
    if _SECRET.search(name) or (len(value) >= _SHORTEST_SECRET and value in secrets):
        raise WorkorderError(
            f"the variable {name} looks like a secret and is never given to generated code",
            where="--pass-env",
            hint="rename it if it is none",
        )


def _gate_path(own: Mapping[str, str], programs: Path) -> str:
    """The user's active virtual environment, else the factory's own interpreter, then the user's PATH.

    Work orders say `python`, but some systems install only `python3`: then `programs` gets a `python` that
    is the factory's own.
    """
    own_programs = str(Path(sys.executable).parent)
    active = own.get("VIRTUAL_ENV")
    wanted = (f"{active}/bin" if active else own_programs, own.get("PATH", os.defpath), own_programs)
    path = os.pathsep.join(dict.fromkeys(searched_places({"PATH": os.pathsep.join(wanted)})))
    if shutil.which("python", path=path) is not None:
        return path
    # No link: Python finds a virtual environment by the place of its executable.
    write_atomic(
        programs / "python", f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n'.encode(), mode=0o755
    )
    return os.pathsep.join((path, str(programs)))
