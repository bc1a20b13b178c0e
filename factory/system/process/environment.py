"""The environments of programs that the user trusts, each made from an allow-list; no key is on any.

Not here: that of the commands which judge an attempt, see `gates.environment`.
"""

import os
import re
from collections.abc import Iterable, Mapping
from typing import Final

PROGRAM_PLACES: Final = ("LD_LIBRARY_PATH", "VIRTUAL_ENV", "PYENV_ROOT", "PYENV_VERSION")
"""The variables that say where programs and their libraries are, beside `PATH`."""

# With how a proxy or a certificate store is reached.
_PROGRAM_NAMES: Final = (
    *PROGRAM_PLACES,
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
# Where programs and their libraries are looked for, and what may stand between two places; see ld.so(8).
_SEPARATORS: Final = {"PATH": ":", "LD_LIBRARY_PATH": "[:;]"}

COMMAND_ENV_VARIABLE: Final = "WORKORDER_COMMAND_ENV"
"""Names, separated by commas, of further variables that a `command:` model program may see."""


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


def _pick(own: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: own[name] for name in names if name in own}
