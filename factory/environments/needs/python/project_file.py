"""Reads what `pyproject.toml` says of packages: dependencies, and what its tests need."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from factory.contract.packages.names import normalised_name, parse_requirement
from factory.environments.needs.declared import BadPackages

FILE: Final = "pyproject.toml"

FOR_TESTS: Final = ("dev", "test", "tests", "testing")
"""The dependency groups and extras that are installed, too: a project's tests need what they name."""

_DEEPEST: Final = 10


@dataclass(frozen=True)
class ProjectFile:
    """What a project's file asks for.

    Attributes:
        name: the project's normalised name; empty if it has none.
        requires_python: the versions of Python that it runs with.
        requirements: its dependencies, and those of its groups and extras for tests, each once.
        groups: the groups and extras that were taken, such as `group dev`.
        is_dynamic: whether its dependencies are made by its build, so that nobody can read them.
        table: the whole document.
    """

    name: str
    requires_python: SpecifierSet
    requirements: tuple[Requirement, ...]
    groups: tuple[str, ...]
    is_dynamic: bool
    table: Mapping[str, object]


def read_project(text: str) -> ProjectFile:
    """What the text of a `pyproject.toml` asks for.

    Raises:
        BadPackages: it is no TOML, or names what is no package of an index.
    """
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadPackages("is not valid TOML", where=FILE) from error
    project = _table(table.get("project"))
    groups = _table(table.get("dependency-groups"))
    extras = _table(project.get("optional-dependencies"))
    name = normalised_name(str(project.get("name", "")))
    try:
        requires = SpecifierSet(str(project.get("requires-python", "")))
    except InvalidSpecifier as error:
        raise BadPackages("`project.requires-python` names no versions", where=FILE) from error
    wanted: dict[str, Requirement] = {}
    taken = []
    places = [("project.dependencies", project.get("dependencies", []))]
    for key in FOR_TESTS:
        if key in groups:
            taken.append(f"group {key}")
            places.append((f"dependency-groups.{key}", groups[key]))
        if key in extras:
            taken.append(f"extra {key}")
            places.append((f"project.optional-dependencies.{key}", extras[key]))
    for place, entries in places:
        for requirement in _requirements(entries, place, groups, extras, name, 0):
            wanted.setdefault(str(requirement), requirement)
    dynamic = project.get("dynamic")
    is_dynamic = isinstance(dynamic, list) and "dependencies" in dynamic
    return ProjectFile(name, requires, tuple(wanted.values()), tuple(taken), is_dynamic, table)


def _requirements(
    entries: object,
    place: str,
    groups: Mapping[str, object],
    extras: Mapping[str, object],
    name: str,
    depth: int,
) -> Iterator[Requirement]:
    """The packages of a list, with those of the groups and of the project's own extras that it names."""
    if not isinstance(entries, list) or depth > _DEEPEST:
        raise BadPackages(f"`{place}` is no list of packages", where=FILE)
    for entry in entries:
        match entry:
            case {"include-group": str(key)} if key in groups:
                yield from _requirements(
                    groups[key], f"dependency-groups.{key}", groups, extras, name, depth + 1
                )
                continue
            case str(text):
                pass
            case _:
                raise BadPackages(f"`{place}` holds what is no package", where=FILE)
        try:
            requirement = parse_requirement(text)
        except ValueError as error:
            raise BadPackages(f"`{place}`: `{text[:100]}` {error}", where=FILE) from error
        if not name or normalised_name(requirement.name) != name:
            yield requirement
            continue
        for extra in sorted(requirement.extras):
            inner = extras.get(extra, [])
            yield from _requirements(
                inner, f"project.optional-dependencies.{extra}", groups, extras, name, depth + 1
            )


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
