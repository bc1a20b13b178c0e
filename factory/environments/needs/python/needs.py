"""What is asked for of Python, and whether a lock among the files of a commit holds all of it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from factory.contract.canonical import canonical_json, sha256_hex
from factory.contract.packages.names import normalised_name, parse_requirement
from factory.contract.strict_json import JsonValue
from factory.environments.needs.declared import BadPackages, CommitFiles, Declared
from factory.environments.needs.python.lock_files import PYLOCK, UV_LOCK, read_pylock, read_uv_lock
from factory.environments.needs.python.pins import MarkerEnvironment, Pin, applies, unmet
from factory.environments.needs.python.project_file import FILE, ProjectFile, read_project
from factory.environments.needs.python.requirements_file import Line, locked_pins, read_requirements

OWN_LOCK: Final = "requirements.lock"
"""What Workorder locks where the repository's own files leave something open."""

RUNNER: Final = "pytest"
"""Always there, because the default verification runs it."""

_VERSION_FILE: Final = ".python-version"
_INPUTS: Final = re.compile(r"# inputs: ([0-9a-f]{64})")
_FORMAT: Final = 1
_REQUIREMENTS: Final = (
    "requirements.txt",
    *(f"requirements{mark}{kind}.txt" for mark in "-_" for kind in ("dev", "test", "tests", "testing")),
    *(f"{kind}{mark}requirements.txt" for mark in "-_" for kind in ("dev", "test")),
)
FILES: Final = (FILE, UV_LOCK, PYLOCK, OWN_LOCK, _VERSION_FILE, *_REQUIREMENTS)
"""What is read at the root, as far as it is there."""

_NOT_READ: Final = ("poetry.lock", "pdm.lock", "Pipfile.lock")


@dataclass(frozen=True)
class PythonNeeds:
    """What is asked for of Python.

    Attributes:
        version: the version of Python that somebody names; None where the tool's own will do.
        requires_python: the versions that the project runs with.
        own: what the repository's files ask for.
        added: what is declared beside them, and pytest.
        constraints: what limits versions of packages that others need.
        lock: the repository's own lock, by its name; None if it has none.
        notes: what a person should know of how it was read.
        unread: what a person should know of what was not read.
        direct: the names of the packages that were asked for.
        allow_build: the names of the packages that may be built.
    """

    version: str | None
    requires_python: SpecifierSet
    own: tuple[Requirement, ...]
    added: tuple[Requirement, ...]
    constraints: tuple[Requirement, ...]
    lock: str | None
    notes: tuple[str, ...]
    unread: tuple[str, ...]
    direct: frozenset[str]
    allow_build: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PythonLock:
    """What is installed, as far as it is known.

    Attributes:
        pins: what the locks pin.
        is_whole: whether that is all that is asked for; else it is yet to be locked.
        source: the file that pins it.
        inputs: the hash of all that a lock of ours follows from.
    """

    pins: tuple[Pin, ...]
    is_whole: bool
    source: str
    inputs: str


def python_needs(files: CommitFiles, declared: Declared) -> PythonNeeds:
    """What the files of a commit, and what is declared beside them, ask for.

    Args:
        files: the commit's files.
        declared: by the configuration and the plan.

    Raises:
        BadPackages: a file can't be read, or asks for more than packages of an index.
    """
    text = files.text(FILE)
    project = None if text is None else read_project(text)
    lines = [line for path in _REQUIREMENTS if path in files.names for line in read_requirements(path, files)]
    own = [*(project.requirements if project else ()), *_wanted(lines)]
    added = [parse_requirement(written) for written in declared.python]
    notes = []
    if project is not None and project.groups:
        notes.append(f"{FILE}: {', '.join(project.groups)} taken, because tests need what they name")
    names = {normalised_name(requirement.name) for requirement in (*own, *added)}
    if RUNNER not in names:
        notes.append(f"{RUNNER} is added to what the project declares")
        added.append(Requirement(RUNNER))
    return PythonNeeds(
        version=declared.python_version or _named_version(files),
        requires_python=project.requires_python if project else SpecifierSet(),
        own=tuple(own),
        added=tuple(added),
        constraints=tuple(line.requirement for line in lines if line.is_constraint),
        lock=_lock_among(files, lines),
        notes=tuple(notes),
        unread=tuple(_unread(files, project)),
        direct=frozenset(names | {RUNNER}),
        allow_build=frozenset(map(normalised_name, declared.allow_build)),
    )


def python_lock(needs: PythonNeeds, files: CommitFiles, environment: MarkerEnvironment) -> PythonLock:
    """What the locks among a commit's files pin.

    Args:
        needs: what is asked for.
        files: the commit's files.
        environment: what markers are compared with: the interpreter's own values.

    Raises:
        BadPackages: a lock can't be read, or does not fit what the repository's files ask for.
    """
    base = _base_pins(needs, files, environment)
    if needs.lock is not None:
        lacking = unmet(needs.own, base, environment)
        if lacking is not None:
            hint = "run `uv lock`" if needs.lock == UV_LOCK else "lock it anew"
            raise BadPackages(
                f"does not fit what the project declares: `{lacking}` is not locked",
                where=needs.lock,
                hint=f"{hint}, and commit the lock",
            )
        if unmet(needs.added, base, environment) is None:
            return PythonLock(base, True, needs.lock, "")
    inputs = _inputs(needs, base, environment)
    own = files.text(OWN_LOCK)
    if own is not None:
        pins = locked_pins(read_requirements(OWN_LOCK, files), environment)
        header = _INPUTS.search(own)
        if header is None:
            raise BadPackages(
                "is there, and was not made by Workorder",
                where=OWN_LOCK,
                hint="Workorder writes its lock under this name: give the file another one",
            )
        if (
            header[1] == inputs
            and pins is not None
            and unmet((*needs.own, *needs.added), pins, environment) is None
        ):
            return PythonLock(pins, True, OWN_LOCK, inputs)
    return PythonLock(base, False, OWN_LOCK, inputs)


def lock_input(needs: PythonNeeds, base: Iterable[Pin]) -> str:
    """The text of the file out of which a lock is made."""
    lines = {str(requirement) for requirement in (*needs.own, *needs.added)}
    lines |= {f"{pin.name}=={pin.version}" for pin in base}
    return "".join(f"{line}\n" for line in sorted(lines))


def constraints_input(needs: PythonNeeds) -> str:
    """The text of the file that limits versions."""
    return "".join(f"{line}\n" for line in sorted({str(requirement) for requirement in needs.constraints}))


def own_lock(text: str, inputs: str, kept_for: str) -> str:
    """A lock as it is committed.

    Args:
        text: what uv made.
        inputs: the hash of what it follows from.
        kept_for: what it is for, such as `Python 3.12 and newer, on all platforms`.
    """
    return (
        f"# Locked by Workorder for {kept_for}; it is written anew when what it follows from changes.\n"
        f"# To install just this: pip install --require-hashes -r {OWN_LOCK}\n"
        f"# inputs: {inputs}\n{text}"
    )


def asks_for_something(needs: PythonNeeds, present: Iterable[Pin], environment: MarkerEnvironment) -> bool:
    """Whether more is asked for than a bare environment has.

    Args:
        needs: what is asked for.
        present: what a bare environment has.
        environment: what markers are compared with.
    """
    if needs.lock is not None:
        return True
    wanted = [each for each in (*needs.own, *needs.added) if applies(each, environment)]
    return (
        any(requirement.extras for requirement in wanted)
        or unmet(wanted, tuple(present), environment) is not None
    )


def _base_pins(needs: PythonNeeds, files: CommitFiles, environment: MarkerEnvironment) -> tuple[Pin, ...]:
    if needs.lock == UV_LOCK:
        return read_uv_lock(files.text(UV_LOCK) or "", environment, needs.allow_build)
    if needs.lock == PYLOCK:
        return read_pylock(files.text(PYLOCK) or "", environment, needs.allow_build)
    if needs.lock is None:
        return ()
    lines = tuple(
        line for path in _REQUIREMENTS if path in files.names for line in read_requirements(path, files)
    )
    return locked_pins(lines, environment) or ()


def _lock_among(files: CommitFiles, lines: list[Line]) -> str | None:
    """The lock that counts: uv's, then the standard's, then requirements that all have hashes."""
    for name in (UV_LOCK, PYLOCK):
        if name in files.names:
            return name
    wanted = [line for line in lines if not line.is_constraint]
    if wanted and all(line.is_locked for line in wanted):
        return wanted[0].where.rpartition(":")[0]
    return None


def _wanted(lines: Iterable[Line]) -> list[Requirement]:
    return [line.requirement for line in lines if not line.is_constraint]


def _unread(files: CommitFiles, project: ProjectFile | None) -> Iterator[str]:
    for name in _NOT_READ:
        if name in files.names:
            yield f"{name} is not read: declare the packages in `[environment]`, or lock them with uv"
    if project is not None and project.is_dynamic and UV_LOCK not in files.names:
        yield f"{FILE}: dependencies are dynamic, so they can't be read; declare them in `[environment]`"


def _named_version(files: CommitFiles) -> str | None:
    """What `.python-version` names, as far as it is a version."""
    text = files.text(_VERSION_FILE) or ""
    match = re.match(r"\s*(?:cpython-?|python-?)?(3\.[0-9]{1,2})(?:\.[0-9]+)?\s*(?:\n|$)", text)
    return match[1] if match else None


def _inputs(needs: PythonNeeds, base: Iterable[Pin], environment: MarkerEnvironment) -> str:
    parts: list[list[str]] = [
        [environment["python_version"]],
        sorted({str(requirement) for requirement in (*needs.own, *needs.added)}),
        sorted({str(requirement) for requirement in needs.constraints}),
        [f"{pin.name}=={pin.version}" for pin in base],
    ]
    whole: list[JsonValue] = [_FORMAT, *(list[JsonValue](part) for part in parts)]
    return sha256_hex(canonical_json(whole))
