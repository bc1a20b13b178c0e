"""`package-lock.json`: what it holds, whether it fits the manifests, and what of it npm may get."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from factory.contract.strict_json import JsonObject
from factory.environments.environment import Package
from factory.environments.needs.declared import BadPackages
from factory.environments.needs.node.documents import json_object
from factory.environments.needs.node.manifest import ELSEWHERE, MANIFEST, TABLES, handed_on, is_name
from factory.environments.needs.node.workspaces import Workspace

LOCK: Final = "package-lock.json"

_LOCK_ANEW: Final = "run `npm install --package-lock-only`, and commit the lock"
_PUBLIC: Final = "https://registry.npmjs.org/"
_INTEGRITY: Final = re.compile(r"sha(?:512|384|256)-[A-Za-z0-9+/]+={0,2}(?: sha(?:512|384|256)-\S+)*")
_OLDEST_FORMAT: Final = 2
_MODULES: Final = "node_modules/"
_SHOWN: Final = 6


def checked_lock(text: str, workspaces: Sequence[Workspace] = ()) -> JsonObject:
    """A lock as npm may get it: every package a registry's, by its hash, from nowhere in particular.

    Args:
        text: a lock that npm made.
        workspaces: those that it may link.

    Raises:
        BadPackages: it can't be read, or holds what is neither of a registry nor a workspace.
    """
    lock = json_object(text, LOCK)
    version = lock.get("lockfileVersion")
    if not isinstance(version, int) or version < _OLDEST_FORMAT:
        raise BadPackages(
            "is of a format before npm 7",
            where=LOCK,
            hint="run `npm install --package-lock-only`, and commit it",
        )
    own: dict[str, str] = {workspace.directory: workspace.name for workspace in workspaces}
    _refuse_second_versions(lock, own)
    packages: JsonObject = {}
    for place, entry in _entries(lock):
        if not place:
            packages[place] = entry
        elif place in own:
            # Without the programs that it has: they are in the checkout alone.
            packages[place] = handed_on(entry)
        elif own and entry.get("link"):
            packages[place] = _checked_link(place, entry, own)
        else:
            packages[place] = _checked_entry(place, entry, own)
    return {"lockfileVersion": version, "requires": True, "packages": packages}


def lacking(lock: JsonObject, workspaces: Sequence[Workspace]) -> tuple[Workspace, ...]:
    """The workspaces that a lock does not have, or of which it lacks a package.

    Args:
        lock: the lock.
        workspaces: all of them.
    """
    packages = dict(_entries(lock))
    return tuple(
        workspace
        for workspace in workspaces
        if workspace.directory not in packages
        or f"{_MODULES}{workspace.name}" not in packages
        or workspace.wanted.keys() - _locked_names(packages[workspace.directory])
    )


def require_fit(manifest: JsonObject, lock: JsonObject, workspaces: Sequence[Workspace] = ()) -> None:
    """Refuse a lock of other wishes than those of the manifests, as `npm ci` does.

    Args:
        manifest: that of the root.
        lock: the lock.
        workspaces: those that it has.

    Raises:
        BadPackages: it does not fit.
    """
    packages = dict(_entries(lock))
    compared = [("", MANIFEST, manifest)]
    compared += [(workspace.directory, workspace.path, workspace.manifest) for workspace in workspaces]
    for place, path, asking in compared:
        for table in TABLES:
            locked, asked = packages.get(place, {}).get(table, {}), asking.get(table, {})
            if isinstance(locked, dict) and isinstance(asked, dict) and locked != asked:
                names = sorted(name for name in {*locked, *asked} if locked.get(name) != asked.get(name))
                raise BadPackages(
                    f"does not fit {path}: `{names[0][:100]}` in `{table}`", where=LOCK, hint=_LOCK_ANEW
                )


def locked_packages(lock: JsonObject, direct: frozenset[str]) -> tuple[Package, ...]:
    """The packages of a registry that a lock holds, sorted; without those of other platforms alone.

    Args:
        lock: the lock.
        direct: the names of those that were asked for.
    """
    packages = set()
    for place, entry in _entries(lock):
        name = place.rpartition(_MODULES)[2]
        is_elsewhere = entry.get("optional") and (entry.get("os") or entry.get("cpu"))
        if place.startswith(_MODULES) and not entry.get("link") and not is_elsewhere:
            is_direct = place == f"{_MODULES}{name}" and name in direct
            packages.add((name, str(entry.get("version", "")), is_direct))
    return tuple(Package("node", *parts) for parts in sorted(packages))


def _locked_names(entry: JsonObject) -> set[str]:
    tables = (entry.get(table) for table in TABLES)
    return {name for table in tables if isinstance(table, dict) for name in table}


def _checked_link(place: str, entry: JsonObject, own: Mapping[str, str]) -> JsonObject:
    directory = str(entry.get("resolved"))
    if directory not in own or place != f"{_MODULES}{own[directory]}":
        raise BadPackages(
            f"links {place[:100]} to {directory[:100]}, which is no workspace of that name",
            where=LOCK,
            hint=_LOCK_ANEW,
        )
    return {"resolved": directory, "link": True}


def _checked_entry(place: str, entry: JsonObject, own: Mapping[str, str]) -> JsonObject:
    above, _, name = place.rpartition(_MODULES)
    integrity, resolved = entry.get("integrity"), entry.get("resolved")
    if own and not above and not place.startswith(_MODULES):
        raise BadPackages(f"holds {place[:100]}, which is no workspace", where=LOCK, hint=_LOCK_ANEW)
    if not place.startswith(_MODULES) or ".." in place.split("/") or not is_name(name):
        raise BadPackages(f"holds what is no place of a package: {place[:100]}", where=LOCK, hint=ELSEWHERE)
    if entry.get("link") or (isinstance(resolved, str) and not resolved.startswith(("https:", "http:"))):
        raise BadPackages(f"{name} does not come from a registry", where=LOCK, hint=ELSEWHERE)
    if entry.get("inBundle"):
        return entry
    if not isinstance(integrity, str) or not _INTEGRITY.fullmatch(integrity):
        raise BadPackages(f"{name} has no hash", where=LOCK, hint="run `npm install --package-lock-only`")
    # npm takes this one for the registry of its configuration. Any other place is not believed.
    keeps = isinstance(resolved, str) and resolved.startswith(_PUBLIC)
    return entry if keeps else {key: value for key, value in entry.items() if key != "resolved"}


def _refuse_second_versions(lock: JsonObject, own: Mapping[str, str]) -> None:
    """Refuse packages that lie in a workspace, because the others, or the root, have another version."""
    told = []
    for place, entry in _entries(lock):
        above, _, name = place.partition(f"/{_MODULES}")
        if not name or above not in own:
            continue
        told.append(f"{name[:100]} {str(entry.get('version', ''))[:100]} in {above}")
        if name in own.values():
            raise BadPackages(
                f"`{above}` asks for another version of the workspace `{name}` than the repository has",
                where=LOCK,
                hint="ask for `*`, or for the version that the workspace has",
            )
    if told:
        more = f" and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
        raise BadPackages(
            "holds second versions of packages, and one of each is supported:"
            f" {', '.join(told[:_SHOWN])}{more}",
            where=LOCK,
            hint="ask for one version in all workspaces, or set one in `overrides` of the root's"
            f" {MANIFEST}, and run `npm install --package-lock-only`",
        )


def _entries(lock: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    packages = lock.get("packages")
    if not isinstance(packages, dict):
        raise BadPackages("is not a lock as its format has it", where=LOCK)
    for place, entry in packages.items():
        if not isinstance(entry, dict):
            raise BadPackages("is not a lock as its format has it", where=LOCK)
        yield place, entry
