"""Reads `uv.lock` and `pylock.toml`: what they pin for an environment, without asking their tools.

Where a lock says to fetch a file from is not believed: a package comes from the index of the user's own
configuration, and its hash says whether it is the locked one.
"""

import tomllib
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName
from packaging.version import InvalidVersion

from factory.contract.packages.names import normalised_name
from factory.environments.needs.declared import BadPackages
from factory.environments.needs.python.pins import MarkerEnvironment, Pin
from factory.environments.needs.python.project_file import FOR_TESTS

UV_LOCK: Final = "uv.lock"
PYLOCK: Final = "pylock.toml"

_OF_THE_PROJECT: Final = ("virtual", "editable")
_ELSEWHERE: Final = ("git", "url", "path", "directory", "virtual", "editable")


def read_uv_lock(
    text: str, environment: MarkerEnvironment, allow_build: Collection[str] = ()
) -> tuple[Pin, ...]:
    """What a `uv.lock` pins for its project: dependencies, and groups and extras for tests.

    Args:
        text: the lock.
        environment: what markers are compared with.
        allow_build: the packages whose sources count, too.

    Raises:
        BadPackages: it can't be read, or pins what comes from elsewhere than an index.
    """
    entries = _entries(_toml(text, UV_LOCK).get("package"), UV_LOCK)
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        by_name.setdefault(normalised_name(str(entry.get("name", ""))), []).append(entry)
    roots = [entry for entry in entries if any(_source(entry).get(key) == "." for key in _OF_THE_PROJECT)]
    if len(roots) != 1:
        raise BadPackages("names no project at the root of the repository", where=UV_LOCK)
    waiting = [(dependency, roots[0]) for dependency in _dependencies_of_root(roots[0])]
    pins: dict[str, Pin] = {}
    seen: set[tuple[str, str, str]] = set()
    while waiting:
        dependency, needing = waiting.pop()
        if not _counts(dependency.get("marker"), environment, UV_LOCK):
            continue
        entry = _entry_for(dependency, by_name, needing, environment)
        name, version = normalised_name(str(entry["name"])), str(entry.get("version", ""))
        extras = [str(extra) for extra in dependency.get("extra", ())]
        for extra in ("", *extras):
            if (name, version, extra) in seen:
                continue
            seen.add((name, version, extra))
            inner = (
                entry.get("optional-dependencies", {}).get(extra, ())
                if extra
                else entry.get("dependencies", ())
            )
            waiting.extend((each, entry) for each in _entries(inner, UV_LOCK))
        # Other projects of a workspace are in the checkout.
        if not any(key in _source(entry) for key in _OF_THE_PROJECT):
            pins[name] = _pin(entry, name, version, name in allow_build)
    return tuple(sorted(pins.values()))


def read_pylock(
    text: str, environment: MarkerEnvironment, allow_build: Collection[str] = ()
) -> tuple[Pin, ...]:
    """What a `pylock.toml` pins, see PEP 751.

    Args:
        text: the lock.
        environment: what markers are compared with.
        allow_build: the packages whose sources count, too.

    Raises:
        BadPackages: it can't be read, or pins what comes from elsewhere than an index.
    """
    document = _toml(text, PYLOCK)
    groups = {*FOR_TESTS, *map(str, document.get("default-groups", ()))}
    pins: dict[str, Pin] = {}
    for entry in _entries(document.get("packages", []), PYLOCK):
        name, version = normalised_name(str(entry.get("name", ""))), str(entry.get("version", ""))
        if not _counts(entry.get("marker"), environment, PYLOCK, groups):
            continue
        if _is_own(entry):
            continue
        for place in ("vcs", "directory", "archive"):
            if place in entry:
                raise _elsewhere(name, place, PYLOCK)
        files = _entries(entry.get("wheels", []), PYLOCK)
        if name in allow_build:
            files += _entries([entry.get("sdist", {})], PYLOCK)
        hashes = [f"sha256:{file.get('hashes', {}).get('sha256', '')}" for file in files if file]
        pins[name] = Pin.of(name, version, hashes, PYLOCK)
    return tuple(sorted(pins.values()))


def _is_own(entry: Mapping[str, Any]) -> bool:
    directory = entry.get("directory")
    return isinstance(directory, dict) and directory.get("path") in (".", "./")


def _dependencies_of_root(root: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    yield from _entries(root.get("dependencies", []), UV_LOCK)
    for table in ("dev-dependencies", "optional-dependencies"):
        inner = root.get(table, {})
        for key in FOR_TESTS:
            yield from _entries(inner.get(key, []) if isinstance(inner, dict) else [], UV_LOCK)


def _entry_for(
    dependency: Mapping[str, Any],
    by_name: Mapping[str, list[Mapping[str, Any]]],
    needing: Mapping[str, Any],
    environment: MarkerEnvironment,
) -> Mapping[str, Any]:
    name = normalised_name(str(dependency.get("name", "")))
    version = dependency.get("version")
    candidates = [
        entry for entry in by_name.get(name, ()) if version is None or entry.get("version") == version
    ]
    if len(candidates) > 1:
        candidates = [
            entry
            for entry in candidates
            if any(
                _counts(marker, environment, UV_LOCK) for marker in entry.get("resolution-markers", [None])
            )
        ]
    if len(candidates) != 1:
        raise BadPackages(
            f"{normalised_name(str(needing.get('name')))} needs {name}, which it does not pin once",
            where=UV_LOCK,
            hint="run `uv lock`, and commit the lock",
        )
    return candidates[0]


def _pin(entry: Mapping[str, Any], name: str, version: str, with_source: bool) -> Pin:
    where = UV_LOCK
    for place in _ELSEWHERE:
        if place in _source(entry):
            raise _elsewhere(name, place, where)
    files = [
        *_entries(entry.get("wheels", []), where),
        *(_entries([entry.get("sdist", {})], where) if with_source else ()),
    ]
    hashes = [str(file.get("hash", "")) for file in files if file]
    return Pin.of(name, version, hashes, where)


def _elsewhere(name: str, place: str, where: str) -> BadPackages:
    return BadPackages(
        f"{name} comes from elsewhere than an index ({place})",
        where=where,
        hint="lock a version that an index has",
    )


def _source(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    source = entry.get("source")
    return source if isinstance(source, dict) else {}


def _entries(value: object, where: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list | tuple) or not all(isinstance(entry, dict) for entry in value):
        raise BadPackages("is not a lock as its format has it", where=where)
    return list(value)


def _toml(text: str, where: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadPackages("is not valid TOML", where=where) from error


def _counts(marker: object, environment: MarkerEnvironment, where: str, groups: Iterable[str] = ()) -> bool:
    if marker is None:
        return True
    asked: dict[str, str | AbstractSet[str]] = dict(environment)
    asked |= {"extra": "", "extras": set(FOR_TESTS), "dependency_groups": set(groups)}
    try:
        return Marker(str(marker)).evaluate(asked, context="lock_file")
    except (InvalidMarker, UndefinedEnvironmentName, InvalidVersion) as error:
        raise BadPackages(f"holds a marker that can't be read: {str(marker)[:100]}", where=where) from error
