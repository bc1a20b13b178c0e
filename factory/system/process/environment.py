"""The environments of child processes, each made from an allow-list. A key or a token is on none of them."""

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

# Where programs and their libraries are found, and how a proxy or a certificate store is reached.
_GATE_NAMES: Final = ("LD_LIBRARY_PATH", "VIRTUAL_ENV", "PYENV_ROOT", "PYENV_VERSION")
_PROGRAM_NAMES: Final = (
    *_GATE_NAMES,
    "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TMPDIR", "TERM", "PATH", "TZ",
    "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
)  # fmt: skip
_GIT_NAMES: Final = (
    "HOME", "XDG_CONFIG_HOME", "PATH", "LD_LIBRARY_PATH", "USER", "LOGNAME", "TMPDIR",
    "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL",
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
    # Whose repositories root may use after sudo.
    "SUDO_UID",
)  # fmt: skip
_SECRET: Final = re.compile(r"KEY|TOKEN|SECRET|PASS|PWD$|CREDENTIAL|AUTH(?!OR)|COOKIE", re.IGNORECASE)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Where programs and their libraries are looked for, and what may stand between two places; see ld.so(8).
_SEPARATORS: Final = {"PATH": ":", "LD_LIBRARY_PATH": "[:;]"}
# Shorter values are words such as `yes`, which any variable may hold.
_SHORTEST_SECRET: Final = 8

COMMAND_ENV_VARIABLE: Final = "WORKORDER_COMMAND_ENV"
"""Names, separated by commas, of further variables that a `command:` model program may see."""


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
    environment = leading_nowhere_else(_pick(own, (*_GATE_NAMES, *names)))
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


def program_environment(own: Mapping[str, str]) -> dict[str, str]:
    """The environment of a `command:` model program.

    It is the user's own program, so it sees the user's home and paths; keys only if the user names them in
    `WORKORDER_COMMAND_ENV`.
    """
    named = [name.strip() for name in own.get(COMMAND_ENV_VARIABLE, "").split(",")]
    locale = [name for name in own if name.startswith("LC_")]
    return _pick(own, (*_PROGRAM_NAMES, *locale, *filter(None, named)))


def git_environment(own: Mapping[str, str]) -> dict[str, str]:
    """The environment of our own git calls: the user's configuration and identity, nothing that redirects."""
    environment = _pick(own, (*_GIT_NAMES, *_git_configuration(own)))
    environment.update(LC_ALL="C", GIT_TERMINAL_PROMPT="0", GIT_OPTIONAL_LOCKS="0", GIT_LITERAL_PATHSPECS="1")
    # Git runs the user's filters in the checkout: `python -m nbstripout` would take a module from there.
    environment["PYTHONSAFEPATH"] = "1"
    return environment


def leading_nowhere_else(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which no program and no library is looked for relative to where a program runs.

    That is a checkout, for git and for a command's supervisor, and both run outside of the sandbox. An empty
    entry stands for the current directory, too.
    """
    searched = {name: searched_places(environment, name) for name in _SEPARATORS}
    others = {name: value for name, value in environment.items() if name not in searched}
    # A variable without a value stands for the current directory as well.
    return others | {name: os.pathsep.join(places) for name, places in searched.items() if places}


def searched_places(environment: Mapping[str, str], name: str = "PATH") -> list[str]:
    """The absolute directories that a variable names, in order."""
    entries = re.split(_SEPARATORS[name], environment.get(name, ""))
    return [entry for entry in entries if entry.startswith("/")]


def _git_configuration(own: Mapping[str, str]) -> Iterable[str]:
    """The variables by which CI services configure git, `safe.directory` above all; see git-config(1)."""
    count = own.get("GIT_CONFIG_COUNT", "")
    if not re.fullmatch(r"[0-9]{1,3}", count):
        return ()
    parts = [f"GIT_CONFIG_{part}_{number}" for number in range(int(count)) for part in ("KEY", "VALUE")]
    return ("GIT_CONFIG_COUNT", *parts)


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


def _pick(own: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: own[name] for name in names if name in own}


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
