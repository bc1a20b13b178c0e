"""The environment of commands that judge an attempt: made from an allow-list, with no key and no token."""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.environments.environment import Environment
from factory.gates.rustup import default_toolchain
from factory.system.process.environment import PROGRAM_PLACES, leading_nowhere_else, searched_places

_SECRET: Final = re.compile(r"KEY|TOKEN|SECRET|PASS|PWD$|CREDENTIAL|AUTH(?!OR)|COOKIE", re.IGNORECASE)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Shorter values are words such as `yes`, which any variable may hold.
_SHORTEST_SECRET: Final = 8
_ACTIVE: Final = "VIRTUAL_ENV"
"""Names the virtual environment that the user works in."""


def gate_environment(
    own: Mapping[str, str],
    environment: Environment,
    *,
    home: Path,
    temporary: Path,
    passed: Iterable[str] = (),
) -> dict[str, str]:
    """The environment of verification and acceptance commands: the same on every machine as far as can be.

    Args:
        own: the factory's own environment variables.
        environment: the interpreters and packages that they find.
        home: an empty directory that takes the place of the user's home.
        temporary: an empty directory for temporary files.
        passed: names of further variables that the user lets through.

    Raises:
        WorkorderError: one of `passed` is no name of a variable, or looks like a secret.
    """
    names = tuple(passed)
    for name in names:
        _refuse_secret(name, own)
    places = [name for name in PROGRAM_PLACES if name != _ACTIVE]
    variables = leading_nowhere_else({name: own[name] for name in (*places, *names) if name in own})
    variables.update(environment.variables)
    variables.update(
        PATH=_gate_path(own, environment),
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
        GIT_TERMINAL_PROMPT="0",
        GIT_CONFIG_NOSYSTEM="1",
        # A command that removes the checkout's .git must not find a repository above it.
        GIT_CEILING_DIRECTORIES=str(home.parent),
        NPM_CONFIG_UPDATE_NOTIFIER="false",
        PIP_DISABLE_PIP_VERSION_CHECK="1",
        PIP_NO_INPUT="1",
    )
    return variables


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


def _gate_path(own: Mapping[str, str], environment: Environment) -> str:
    """The environment's programs, then the user's, without those of Workorder and of what is active.

    What is installed there is no part of the project, and would be missing wherever it is not active.
    """
    prefixes = [own.get(_ACTIVE, ""), sys.prefix if sys.prefix != sys.base_prefix else ""]
    foreign = {os.path.realpath(f"{prefix}/bin") for prefix in prefixes if prefix.startswith("/")}
    searched = searched_places({"PATH": own.get("PATH", os.defpath)})
    others = [place for place in searched if os.path.realpath(place) not in foreign]
    rust = default_toolchain(own, os.pathsep.join(others))
    return os.pathsep.join(dict.fromkeys([*map(str, environment.programs), *rust, *others]))
