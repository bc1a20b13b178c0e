"""What need not be said on each command line: the model, how many at a time, what may be spent, the sandbox.

An option counts most, then a `WORKORDER_*` variable, then the repository's `workorder.toml`, then the user's
own file. Only the command `workorder` asks: what `planner` and `factory` do stands on their command lines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from factory.configuration.document import (
    MAX_BYTES,
    OWN_FILE,
    PROJECT_FILE,
    BadConfiguration,
    Configuration,
    ConfiguredDefaults,
    parse_document,
    read_configuration,
    validated,
)
from factory.contract.errors import WorkorderError

_WHOLE: Final = ("jobs", "max-tokens")
_LEVELS: Final = ("auto", "bwrap", "landlock")
NAMES: Final = ("llm", "jobs", "max-cost-usd", "max-tokens", "sandbox")
"""What can be said once for all, by the names of the options."""


@dataclass(frozen=True)
class Default:
    """What an option is that nobody gave.

    Attributes:
        name: the option's name, without dashes.
        value: its value, as it is written on a command line.
        source: who says so: a variable or a file.
    """

    name: str
    value: str
    source: str


def variable(name: str) -> str:
    """The environment variable of an option: `WORKORDER_MAX_TOKENS` of `max-tokens`."""
    return f"WORKORDER_{name.upper().replace('-', '_')}"


def defaults(environment: Mapping[str, str], repo: Path | None, user_file: Path) -> tuple[Default, ...]:
    """What is said of each option that anybody says anything of, in the order of `NAMES`.

    Args:
        environment: the variables; an empty one says nothing.
        repo: the root of the repository; None if there is none.
        user_file: the user's own file, which may be missing.

    Raises:
        WorkorderError: a variable has no such value.
        BadConfiguration: a file can't be used.
    """
    by_user = _texts(_of_user(user_file))
    own, by_repo = _of_repository(repo)
    return tuple(
        default
        for name in NAMES
        if (
            default := _first(
                name,
                (
                    (environment.get(variable(name), ""), variable(name)),
                    (by_repo.get(name, ""), own),
                    (by_user.get(name, ""), str(user_file)),
                ),
            )
        )
    )


def _first(name: str, said: Sequence[tuple[str, str]]) -> Default | None:
    for value, source in said:
        if value:
            _require_fit(name, value, source)
            return Default(name, value, source)
    return None


def _require_fit(name: str, value: str, source: str) -> None:
    """Refuse a variable's value that the option would refuse without saying where it comes from."""
    if name in _WHOLE and not (value.isascii() and value.isdecimal() and int(value) > 0):
        raise WorkorderError(
            f"`{value}` is no number from 1 upwards", where=source, hint=f"it is for --{name}"
        )
    if name == "sandbox" and value not in _LEVELS:
        raise WorkorderError(
            f"`{value}` is no sandbox", where=source, hint=f"it is one of {', '.join(_LEVELS)}"
        )


def _texts(configured: ConfiguredDefaults) -> dict[str, str]:
    cost = configured.max_cost_usd
    values: dict[str, str | int | Decimal | None] = {
        "llm": configured.llm,
        "jobs": configured.jobs,
        "max-cost-usd": None if cost is None else f"{cost:f}",
        "max-tokens": configured.max_tokens,
        "sandbox": configured.sandbox,
    }
    return {name: str(value) for name, value in values.items() if value is not None}


def _of_repository(repo: Path | None) -> tuple[str, dict[str, str]]:
    """What the repository says, and in which file.

    A repository may be somebody else's: it names no program that is to be run here.
    """
    if repo is None:
        return "", {}
    own, project = _bytes(repo / OWN_FILE), _bytes(repo / PROJECT_FILE)
    said = _texts(read_configuration(own, project).defaults)
    file = PROJECT_FILE if own is None else OWN_FILE
    scheme, colon, _ = said.get("llm", "").partition(":")
    if colon and scheme in ("command", "replay"):
        raise BadConfiguration(
            f"defaults.llm: a repository names no `{scheme}:` of this machine",
            where=file,
            hint=f"say it in your own configuration, in {variable('llm')}, or with --llm",
        )
    return str(repo / file), said


def _of_user(file: Path) -> ConfiguredDefaults:
    data = _bytes(file)
    if data is None:
        return ConfiguredDefaults()
    configuration = validated(parse_document(data, str(file)), str(file), "")
    if configuration != Configuration(defaults=configuration.defaults):
        raise BadConfiguration(
            "holds more than the table [defaults]",
            where=str(file),
            hint=f"the rest belongs to a repository, in its {OWN_FILE}",
        )
    return configuration.defaults


def _bytes(file: Path) -> bytes | None:
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadConfiguration(f"can't be read: {error.strerror}", where=str(file)) from error
