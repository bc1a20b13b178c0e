"""A service that commands need beside them, such as a database, as plans and `workorder.toml` declare it."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from factory.contract.limits import MAX_COMMAND_CHARS

Preset = Literal["postgres", "redis"]

PRESET_VARIABLES: Final[Mapping[Preset, Mapping[str, str]]] = MappingProxyType(
    {
        "postgres": {
            "DATABASE_URL": "postgresql://postgres@127.0.0.1:{port}/postgres",
            "PGHOST": "127.0.0.1",
            "PGPORT": "{port}",
            "PGUSER": "postgres",
            "PGDATABASE": "postgres",
        },
        "redis": {"REDIS_URL": "redis://127.0.0.1:{port}/0"},
    }
)
"""What each preset sets by itself."""

LONGEST_READY_SECONDS: Final = 600
MOST_SERVICES: Final = 8

PLACEHOLDERS: Final = ("port", "data")
"""What words and values may name in braces: a port of 127.0.0.1 that is its own, and its own directory."""

_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_PLACEHOLDER: Final = re.compile(r"\{([a-z]+)\}")
_OWN_VARIABLES: Final = frozenset(
    {"PATH", "HOME", "TMPDIR", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "IFS", "ENV", "BASH_ENV"}
)
_OWN_PREFIXES: Final = ("LD_", "DYLD_", "PYTHON", "PYTEST_", "GIT_")
_ADDRESSING: Final = re.compile(
    r"(?:[A-Z][A-Z0-9_]*_)?(?:URL|URI|DSN|HOST|HOSTNAME|PORT|ADDRESS|ADDR|ENDPOINT|DATABASE|DB|DBNAME|USER|USERNAME"
    r"|PASSWORD|NAME|BUCKET|BROKER|SOCKET)|PG(?:HOST|PORT|USER|DATABASE|PASSWORD|SSLMODE)"
)


def _is_name(text: str) -> str:
    # Of a preset without a name, plans hold an empty one.
    if text and not _NAME.fullmatch(text):
        raise ValueError("must be a small letter, then at most 31 small letters, digits and hyphens")
    return text


def _is_command(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must be one line without control characters")
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if not words or not words[0]:
        raise ValueError("can't be split into words, or names no program")
    return _is_filled(text)


def _is_filled(text: str) -> str:
    unknown = [name for name in _PLACEHOLDER.findall(text) if name not in PLACEHOLDERS]
    if unknown:
        raise ValueError(f"`{{{unknown[0]}}}` is no placeholder: there are {{port}} and {{data}}")
    if "\0" in text:
        raise ValueError("must not hold NUL")
    return text


def _is_settable(variables: Mapping[str, str]) -> Mapping[str, str]:
    for name, value in variables.items():
        if not _VARIABLE.fullmatch(name):
            raise ValueError(f"`{name}` is not the name of a variable")
        if name in _OWN_VARIABLES or name.startswith(_OWN_PREFIXES):
            raise ValueError(f"`{name}` decides how programs run, and no service sets it")
        _is_filled(value)
    return variables


Command = Annotated[str, Field(strict=True, max_length=MAX_COMMAND_CHARS), AfterValidator(_is_command)]
_Value = Annotated[str, Field(strict=True, max_length=2_000)]
_Seconds = Annotated[int, Field(strict=True, ge=1, le=LONGEST_READY_SECONDS)]


class Service(BaseModel):
    """One service: a preset, or a command and how it is known to be ready.

    Words and values may hold `{port}` and `{data}`.

    Attributes:
        name: what it is called in records; that of the preset if it is empty.
        preset: what it is, if the factory knows how to run it.
        command: what is executed, without a shell, and stays in the foreground; empty with a preset.
        prepare: what is executed before it where its directory is new; empty for nothing.
        ready_log: what it prints when it is ready.
        ready_command: what returns 0 when it is ready. With neither, it is ready when its port answers.
        ready_timeout_seconds: how long it may take until then.
        set: the variables that commands see, beside those of a preset.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Annotated[str, AfterValidator(_is_name)] = ""
    preset: Preset | None = None
    command: Command | None = None
    prepare: Command | None = None
    ready_log: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    ready_command: Command | None = None
    ready_timeout_seconds: _Seconds = 60
    set: Annotated[dict[str, _Value], AfterValidator(_is_settable)] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        own = (self.command, self.prepare, self.ready_log, self.ready_command)
        if self.preset is not None and any(own):
            raise ValueError("has a preset, which says what is run and when it is ready: leave out the rest")
        if self.preset is None:
            if not self.name:
                raise ValueError("has no name")
            if self.command is None:
                raise ValueError("has neither a command nor a preset (postgres, redis)")
            if self.ready_log is not None and self.ready_command is not None:
                raise ValueError("has two ways to be ready: keep `ready_log` or `ready_command`")
            if self.ready_log is None and self.ready_command is None and "{port}" not in self.command:
                raise ValueError(
                    "can't be known to be ready: let its command name {port}, or say `ready_log`"
                    " or `ready_command`"
                )
        return self

    @property
    def called(self) -> str:
        """Its name, that of its preset if it has no other."""
        return self.name or self.preset or ""

    @property
    def variables(self) -> Mapping[str, str]:
        """All that it sets, with what its preset sets by itself."""
        by_itself = PRESET_VARIABLES[self.preset] if self.preset is not None else {}
        return {**by_itself, **self.set}


def clashes(services: Iterable[Service]) -> Iterator[tuple[int, str]]:
    """What can't stand together: the number of a service, and why."""
    names: dict[str, int] = {}
    variables: dict[str, int] = {}
    for number, service in enumerate(services):
        if number >= MOST_SERVICES:
            yield number, f"there are more than {MOST_SERVICES} services"
            return
        if service.called in names:
            yield number, f"`{service.called}` is the name of services[{names[service.called]}], too"
        for variable in service.set:
            if variable in variables:
                yield number, f"`{variable}` is set by services[{variables[variable]}], too"
            variables.setdefault(variable, number)
        names.setdefault(service.called, number)


def contradictions(planned: Sequence[Service], configured: Sequence[Service]) -> Iterator[tuple[int, str]]:
    """Where a plan says of services what the repository's configuration says otherwise.

    A service of the same name is the configured one, so whatever the plan says of it must be so there, too.
    Any other is one more, and must not take the variables of one that people have configured.

    Args:
        planned: the services of a plan.
        configured: those of the repository's configuration.

    Yields:
        The number of a service of the plan, and what is the matter with it.
    """
    for number, service in enumerate(planned):
        for place, other in enumerate(configured):
            named = f"services[{place}] of the repository's configuration"
            if service.called == other.called:
                keys = ", ".join(f"`{key}`" for key in _differing(service, other))
                if keys:
                    yield number, f"`{service.called}` of the plan is {named}, which has another {keys}"
                continue
            taken = ", ".join(
                f"`{variable}`" for variable in service.variables if variable in other.variables
            )
            if taken:
                yield (
                    number,
                    f"`{service.called}` of the plan sets {taken}, as `{other.called}` does, {named}",
                )


def _differing(planned: Service, configured: Service) -> Iterator[str]:
    """What a plan says of a service, and is otherwise in its configuration."""
    said = planned.model_dump(exclude_defaults=True, exclude={"name", "set"})
    yield from (key for key, value in said.items() if getattr(configured, key) != value)
    for variable, value in planned.set.items():
        if configured.variables.get(variable) != value:
            yield f"set.{variable}"


def is_address(variable: str) -> bool:
    """Whether a variable's name says no more than where something is reached: all that a plan may set."""
    return _ADDRESSING.fullmatch(variable) is not None
