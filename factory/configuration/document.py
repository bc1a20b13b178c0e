"""The repository's own configuration: `workorder.toml`, or `[tool.workorder]` in `pyproject.toml`.

Pure: bytes in, `Configuration` out, and every problem named with its file and place. Where the bytes come
from is in `committed`.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from decimal import Decimal
from difflib import get_close_matches
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from factory.configuration.command_words import shell_syntax, words_of
from factory.contract.documents import SchemaProblem, schema_problems
from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_COMMAND_CHARS
from factory.contract.packages.names import (
    MAX_PACKAGES,
    NodePackage,
    NodeRange,
    PackageName,
    PythonRequirement,
    PythonVersion,
    require_one_table,
)
from factory.contract.repo_path import RepoPath
from factory.contract.services.declared import Service, clashes
from factory.system.sandbox.limit_option import parse_limits

OWN_FILE: Final = "workorder.toml"
PROJECT_FILE: Final = "pyproject.toml"
PROJECT_TABLE: Final = ("tool", "workorder")

MAX_FURTHER_PLACES: Final = 32
"""How many further directories commands may be shown."""

MAX_PROJECTS: Final = 100
"""How many projects a repository may have."""

MAX_BYTES: Final = 1_000_000
"""The largest configuration file that is read, in bytes."""

BUILT_IN_CHECKS: Final = (
    "interfaces",
    "unusual code",
    "manifests",
    "imports",
    "verify.sh",
    "compileall",
    "pytest",
    "postconditions",
    "acceptance",
)
"""The names that a repository's own checks can't have."""

_SHELL: Final = "holds `{}`, which only a shell understands: put it into a script and run `bash SCRIPT`"
_HINT: Final = "correct the file, and commit it"
_LONGEST_SECONDS: Final = 7 * 86_400
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PLACE_OF_FAULT: Final = re.compile(
    r"(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)


class BadConfiguration(WorkorderError):
    """The repository's configuration can't be used; `where` names the file, and the place if there is one."""


def _is_name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError(
            "must be a letter or digit, then at most 63 letters, digits, dots, hyphens and underscores"
        )
    return text


def _is_command(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    if not text.isprintable():
        raise ValueError("must be one line without control characters")
    if words_of(text) is None:
        raise ValueError("can't be split into words, or names no program")
    piece = shell_syntax(text)
    if piece is not None:
        raise ValueError(_SHELL.format(piece))
    return text


def _is_absolute(text: str) -> str:
    if not text.isprintable() or not text.startswith("/") or {".", ".."} & {*text.split("/")}:
        raise ValueError("must be an absolute path, such as /opt/models, without `.` and `..`")
    return text


def _number(value: object) -> object:
    # A TOML number, which is no truth value; text is not taken for one.
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ValueError("must be a number")
    return Decimal(value)


def _is_price(value: Decimal) -> Decimal:
    if not value.is_finite() or value < 0:
        raise ValueError("must be a number of US dollars, not below 0")
    return value


def _is_limit(value: Decimal) -> Decimal:
    if not value.is_finite() or not 0 < value <= _LONGEST_SECONDS:
        raise ValueError("must be a number of seconds above 0, a week at most")
    return value


def _limits_text(value: object) -> object:
    """The table of limits as `--limit` writes them."""
    if not isinstance(value, dict):
        raise ValueError('must be a table, such as { mem = "2G", procs = 128 }')
    text = ",".join(f"{name}={limit}" for name, limit in value.items())
    if text:
        try:
            parse_limits(text)
        except WorkorderError as error:
            raise ValueError(f"{error.message}: {error.hint}") from error
    return text


AbsolutePath = Annotated[str, Field(max_length=MAX_COMMAND_CHARS), AfterValidator(_is_absolute)]
Dollars = Annotated[Decimal, BeforeValidator(_number), AfterValidator(_is_price)]
Seconds = Annotated[Decimal, BeforeValidator(_number), AfterValidator(_is_limit)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=True)


class ConfiguredCheck(_Table):
    """A command that the repository adds to its verification.

    Attributes:
        name: what it is called in records.
        command: what is executed, without a shell.
        timeout_seconds: its own time limit, in seconds; None for the one that all commands have.
        gates: whether its failure fails an attempt; otherwise it is only recorded and shown.
    """

    name: Annotated[str, AfterValidator(_is_name)]
    command: Annotated[str, Field(max_length=MAX_COMMAND_CHARS), AfterValidator(_is_command)]
    timeout_seconds: Seconds | None = None
    gates: bool = True


class ConfiguredPrice(_Table):
    """What the model costs, in US dollars for a million tokens.

    Attributes:
        input: of the prompt.
        output: of the answer.
        cached: of the part of the prompt that the provider had cached; None for that of the prompt.
        cache_write: of the part that it caches; None for a quarter more than the prompt's.
    """

    input: Dollars
    output: Dollars
    cached: Dollars | None = None
    cache_write: Dollars | None = None


class ConfiguredEnvironment(_Table):
    """The packages that the repository's commands need, beside those that its own files declare.

    Attributes:
        python: Python packages, each as PEP 508 writes it, such as `fastapi>=0.120`.
        python_version: the version of Python, such as `3.12`; None for the repository's own, or the tool's.
        node: npm packages, with the versions that are wanted.
        node_dev: likewise those that are for development only.
        allow_build: the packages that may run code of theirs when they are installed, inside the sandbox.
    """

    python: Annotated[tuple[PythonRequirement, ...], Field(strict=False, max_length=MAX_PACKAGES)] = ()
    python_version: Annotated[PythonVersion | None, Field(alias="python-version")] = None
    node: Annotated[dict[NodePackage, NodeRange], Field(max_length=MAX_PACKAGES)] = {}
    node_dev: Annotated[dict[NodePackage, NodeRange], Field(alias="node-dev", max_length=MAX_PACKAGES)] = {}
    allow_build: Annotated[
        tuple[PackageName, ...], Field(alias="allow-build", strict=False, max_length=MAX_PACKAGES)
    ] = ()

    @model_validator(mode="after")
    def _require_one_table(self) -> Self:
        require_one_table(self.node, self.node_dev)
        return self


class ConfiguredSandbox(_Table):
    """What commands get in the sandbox beside what all get.

    Attributes:
        read: directories of the machine that they may read, such as `/opt/models`.
    """

    read: Annotated[tuple[AbsolutePath, ...], Field(strict=False, max_length=MAX_FURTHER_PLACES)] = ()


class ConfiguredPlanner(_Table):
    """What the planner is to do.

    Attributes:
        grain: how large work orders shall be; `auto` for what suits the model and the specification.
        review: whether a second opinion on a plan is asked for before it is taken.
    """

    grain: Literal["auto", "fine", "medium", "coarse"] = "auto"
    review: Annotated[bool, Field(strict=True)] = True


class ConfiguredDefaults(_Table):
    """What `workorder` takes for options that are not given.

    Attributes:
        llm: who is asked.
        jobs: how many work orders are executed at a time.
        max_cost_usd: what all answers together may cost, in US dollars.
        max_tokens: how many tokens all answers together may take.
        sandbox: what generated code runs in; never none.
    """

    llm: Annotated[str | None, Field(min_length=1, max_length=MAX_COMMAND_CHARS)] = None
    jobs: Annotated[int | None, Field(ge=1)] = None
    max_cost_usd: Annotated[Dollars | None, Field(alias="max-cost-usd")] = None
    max_tokens: Annotated[int | None, Field(alias="max-tokens", ge=1)] = None
    sandbox: Literal["auto", "bwrap", "landlock"] | None = None


class Configuration(_Table):
    """What a repository configures; without any file, nothing.

    Attributes:
        checks: commands that are run after the built-in verification, in this order.
        price: what the model costs; None to look it up.
        limits: how much a command may use, as `--limit` writes it; empty for the defaults.
        sandbox: what commands get in the sandbox beside what all get.
        environment: the packages that commands need, beside what the repository's own files declare.
        services: what every command finds beside it, in the order in which they start.
        planner: what the planner is to do.
        defaults: what `workorder` takes for options that are not given.
        require_approval: whether only work orders are executed that a person has approved.
        projects: the directories that are projects of their own, none of them within another.
    """

    # TOML has lists, which strict validation would not take for tuples.
    checks: Annotated[tuple[ConfiguredCheck, ...], Field(strict=False)] = ()
    price: ConfiguredPrice | None = None
    limits: Annotated[str, BeforeValidator(_limits_text)] = ""
    sandbox: ConfiguredSandbox = ConfiguredSandbox()
    environment: ConfiguredEnvironment = ConfiguredEnvironment()
    services: Annotated[tuple[Service, ...], Field(strict=False)] = ()
    planner: ConfiguredPlanner = ConfiguredPlanner()
    defaults: ConfiguredDefaults = ConfiguredDefaults()
    require_approval: Annotated[bool, Field(alias="require-approval")] = False
    projects: Annotated[tuple[RepoPath, ...], Field(strict=False, max_length=MAX_PROJECTS)] = ()


def read_configuration(workorder_toml: bytes | None, pyproject_toml: bytes | None) -> Configuration:
    """The configuration that the two files hold.

    Args:
        workorder_toml: the bytes of `workorder.toml`; None if there is none.
        pyproject_toml: the bytes of `pyproject.toml`; None if there is none.

    Raises:
        BadConfiguration: a file is not valid TOML, does not match the schema, or both configure Workorder.
    """
    own = None if workorder_toml is None else parse_document(workorder_toml, OWN_FILE)
    table = None if pyproject_toml is None else _project_table(pyproject_toml)
    if own is not None and table is not None:
        raise BadConfiguration(
            f"`{OWN_FILE}` and `[{'.'.join(PROJECT_TABLE)}]` in `{PROJECT_FILE}` both configure Workorder",
            where=OWN_FILE,
            hint=f"keep one: move everything into `{OWN_FILE}`, or delete it",
        )
    if own is not None:
        return validated(own, OWN_FILE, "")
    if table is not None:
        return validated(table, PROJECT_FILE, ".".join(PROJECT_TABLE))
    return Configuration()


def _project_table(data: bytes) -> object | None:
    if PROJECT_TABLE[-1].encode() not in data:
        # Whatever else may be wrong with the file is not ours to say.
        return None
    value: object = parse_document(data, PROJECT_FILE)
    for key in PROJECT_TABLE:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def parse_document(data: bytes, file: str) -> dict[str, Any]:
    """The tables of a file.

    Raises:
        BadConfiguration: it is not valid TOML, or too large.
    """
    if len(data) > MAX_BYTES:
        raise BadConfiguration(f"has {len(data):,} bytes; the limit is {MAX_BYTES:,}", where=file, hint=_HINT)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise BadConfiguration("is not UTF-8", where=f"{file}:{line}:{column}", hint=_HINT) from error
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except RecursionError as error:
        raise BadConfiguration("is nested too deeply", where=file, hint=_HINT) from error
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(str(error), text, file) from error
    except ValueError as error:
        raise BadConfiguration(
            "holds a number or a date that is out of range", where=file, hint=_HINT
        ) from error


def _syntax_error(complaint: str, text: str, file: str) -> BadConfiguration:
    """The parser's complaint with its place in front; it only tells it in its text."""
    match = _PLACE_OF_FAULT.fullmatch(complaint)
    if match is None:
        return BadConfiguration(f"not valid TOML: {complaint}", where=file, hint=_HINT)
    if match["line"] is not None:
        line, column = int(match["line"]), int(match["column"])
    else:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    what = match["what"][:1].lower() + match["what"][1:]
    return BadConfiguration(f"not valid TOML: {what}", where=f"{file}:{line}:{column}", hint=_HINT)


def validated(value: Any, file: str, prefix: str) -> Configuration:
    """The configuration that parsed tables hold.

    Args:
        value: the tables.
        file: the file's name, for errors.
        prefix: where in the file they are; empty for the top.

    Raises:
        BadConfiguration: they don't match the schema.
    """
    problems = [
        f"{_place(prefix, _parts(problem))}: {_sentence(problem)}"
        for problem in schema_problems(Configuration, value)
    ]
    if not problems:
        configuration = Configuration.model_validate(value)
        problems = [
            f"{_place(prefix, place)}: {what}"
            for place, what in (
                *_clashes(configuration.checks),
                *_of_services(configuration.services),
                *_of_projects(configuration.projects),
            )
        ]
        if not problems:
            return configuration
    raise BadConfiguration("; ".join(problems), where=file, hint=_HINT)


def _clashes(checks: Sequence[ConfiguredCheck]) -> Iterator[tuple[tuple[str, ...], str]]:
    first: dict[str, int] = {}
    built_in = {name.casefold() for name in BUILT_IN_CHECKS}
    for number, check in enumerate(checks):
        place = ("checks", str(number), "name")
        # Some file systems fold letters, and each check's output has a file of its name.
        name = check.name.casefold()
        if name in built_in:
            yield place, f"`{check.name}` is the name of a built-in check"
        elif name in first:
            yield place, f"`{check.name}` is the name of checks[{first[name]}], too"
        first.setdefault(name, number)


def _of_services(services: Sequence[Service]) -> Iterator[tuple[tuple[str, ...], str]]:
    for number, what in clashes(services):
        yield ("services", str(number)), what
    for number, service in enumerate(services):
        for key in ("command", "prepare", "ready_command"):
            piece = shell_syntax(getattr(service, key) or "")
            if piece is not None:
                yield ("services", str(number), key), _SHELL.format(piece)


def _of_projects(projects: Sequence[RepoPath]) -> Iterator[tuple[tuple[str, ...], str]]:
    # Some file systems fold letters.
    folded = [RepoPath(project.casefold()) for project in projects]
    for number, project in enumerate(folded):
        for other, before in enumerate(folded[:number]):
            if project == before:
                yield ("projects", str(number)), f"`{projects[number]}` is projects[{other}], too"
            elif project.is_within(before) or before.is_within(project):
                yield (
                    ("projects", str(number)),
                    f"`{projects[number]}` and `{projects[other]}` lie within one another",
                )


def _sentence(problem: SchemaProblem) -> str:
    if problem.kind == "extra_forbidden":
        *place, key = _parts(problem)
        near = get_close_matches(key, _keys_at(place), n=1)
        return "is not a known key" + (f" (did you mean `{near[0]}`?)" if near else "")
    if problem.kind in ("model_type", "model_attributes_type"):
        return "must be a table"
    if problem.kind == "tuple_type":
        return "must be a list of tables" if _parts(problem) == ("checks",) else "must be a list"
    return problem.message


def _keys_at(place: Sequence[str]) -> list[str]:
    """The keys that the table at `place` may have."""
    table: type[BaseModel] = Configuration
    for key in place:
        if key in table.model_fields:
            table = _table_in(table.model_fields[key].annotation) or table
    return [field.alias or name for name, field in table.model_fields.items()]


def _table_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((table for part in get_args(annotation) if (table := _table_in(part))), None)


def _parts(problem: SchemaProblem) -> tuple[str, ...]:
    """The keys and indexes of a JSON pointer."""
    return tuple(
        part.replace("~1", "/").replace("~0", "~") for part in problem.pointer.removeprefix("/").split("/")
    )


def _place(prefix: str, parts: Sequence[str]) -> str:
    """A place as people write it, such as `checks[0].command`."""
    place = prefix
    for part in parts:
        if not part:
            continue
        place += f"[{part}]" if part.isdecimal() else f".{part}" if place else part
    return place or "the file"
