"""How `--engineer` and what belongs to it become an agent, or a message that says what is missing."""

import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final, cast

from factory.contract.errors import WorkorderError
from factory.llm.agents.session import Agent, environment_secrets, secrets_in
from factory.llm.agents.workplace import Engineer, Kind, Workplace
from factory.llm.secrets import redact, secret_values
from factory.system.files.tree import read_bounded
from factory.system.network.allowed import Allowed
from factory.system.process.environment import searched_places
from factory.system.process.stop import Stop
from factory.system.sandbox.visible import may_be_shown, needed

_KINDS: Final = ("agent", "acp")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What steers every program, or the sandbox around it.
_OURS: Final = ("PATH", "HOME", "TMPDIR", "WORKORDER_PROMPT")
_LARGEST_FILE: Final = 10_000_000


def engineer(
    name: str,
    *,
    variables: Sequence[str],
    files: Sequence[Path],
    hosts: tuple[Allowed, ...],
    timeout_seconds: float,
    environment: Mapping[str, str],
) -> Engineer:
    """The agent of that name.

    Args:
        name: what the user gave to `--engineer`.
        variables: the names of the variables that it may see.
        files: what of the user's it may read.
        hosts: what it may reach by a proxy.
        timeout_seconds: how long it may work on one attempt.
        environment: the variables of this process.

    Raises:
        WorkorderError: it can't be used as it is named; what it lacks is said.
    """
    secrets = secret_values(environment)
    kind, _, line = name.partition(":")
    where = f"--engineer {redact(name, secrets)}"
    if kind not in _KINDS or not line.strip():
        raise WorkorderError(
            "names no agent", where=where, hint="write agent:'PROGRAM ARGS', or acp:'PROGRAM ARGS'"
        )
    if kind == "acp" and find_spec("acp") is None:
        raise WorkorderError(
            "the Agent Client Protocol is not installed", where=where, hint="pip install 'workorder[acp]'"
        )
    words = _words(line, secrets, where)
    program = _program(words[0], environment, where)
    own_places = needed({"PATH": str(program.parent)}, environment)
    values = {variable: _value(variable, environment) for variable in variables}
    shown = tuple(dict.fromkeys(_file(path) for path in files))
    texts = [read_bounded(file, max_bytes=_LARGEST_FILE) for file in shown if file.is_file()]
    within = [secrets_in(text.decode("utf-8", "replace")) for text in texts]
    known = {*secrets, *environment_secrets(values), *(secret for part in within for secret in part)}
    return Engineer(
        kind=cast(Kind, kind),
        words=words,
        program=program,
        visible=tuple(dict.fromkeys((*own_places, program.resolve()))),
        variables=values,
        files=shown,
        secrets=tuple(sorted(known, key=lambda secret: (-len(secret), secret))),
        hosts=hosts,
        timeout_seconds=timeout_seconds,
    )


def hire(named: Engineer, place: Workplace, stop: Stop | None) -> Agent:
    """The agent as a model, where it works.

    Args:
        named: the agent.
        place: where it works.
        stop: ends it when another thread asks for that; None if none will.
    """
    if named.kind == "agent":
        from factory.llm.agents.program import talk
    else:
        from factory.llm.agents.acp import talk
    return Agent(named, place, talk, stop)


def _words(line: str, secrets: Sequence[str], where: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise WorkorderError(
            f"can't be split into words: {str(error).lower()}", where=where, hint="quote it as for a shell"
        ) from error
    if any(secret in word for secret in secrets for word in words):
        raise WorkorderError(
            "the command line holds the value of a secret environment variable, and would be recorded",
            where=where,
            hint="let the agent read the variable itself: --engineer-env NAME",
        )
    return words


def _program(word: str, environment: Mapping[str, str], where: str) -> Path:
    # Of a relative place, the agent's own checkout could be the one.
    path = ":".join(searched_places(environment))
    found = shutil.which(word, path=path) if "/" not in word or word.startswith("/") else None
    if found is None:
        raise WorkorderError(
            f"there is no program `{word}`",
            where=where,
            hint="install it, or give its absolute path",
        )
    return Path(found)


def _value(name: str, environment: Mapping[str, str]) -> str:
    where = f"--engineer-env {name}"
    if not _NAME.fullmatch(name):
        raise WorkorderError(
            "is not the name of a variable", where=where, hint="give the name alone, not the value"
        )
    if name in _OURS or name.startswith(("LD_", "GIT_")):
        raise WorkorderError("is set for every agent, or steers the tool", where=where, hint="leave it out")
    value = environment.get(name, "")
    if not value.strip():
        raise WorkorderError("is not set", where=where, hint=f"export {name}, then run again")
    return value


def _file(path: Path) -> Path:
    # Not resolved: where it is found is what counts, wherever a link leads.
    place = path.expanduser().absolute()
    if not place.is_file() and not (place.is_dir() and may_be_shown(place, {str(Path.home())})):
        raise WorkorderError(
            "is no file, and no directory that an agent may see",
            where=f"--engineer-file {path}",
            hint="name files, or directories that hold nothing but what it needs",
        )
    return place
