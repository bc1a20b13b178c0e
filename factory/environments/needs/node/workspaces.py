"""The workspaces of npm: packages of the repository's own, which npm links into `node_modules`."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from factory.contract.repo_path import RepoPath, UnsafePath
from factory.contract.strict_json import JsonObject, JsonValue
from factory.environments.environment import Package
from factory.environments.needs.declared import BadPackages, CommitFiles
from factory.environments.needs.node.documents import json_object
from factory.environments.needs.node.globs import chosen, plain
from factory.environments.needs.node.manifest import MANIFEST, handed_on, is_name, wanted

KEY: Final = "workspaces"
"""Where a manifest names them."""

_MOST: Final = 500
_MOST_NAME_CHARS: Final = 214
_VERSION: Final = re.compile(r"[0-9]{1,16}\.[0-9]{1,16}\.[0-9]{1,16}(?:[-+][0-9A-Za-z.+-]*)?")


@dataclass(frozen=True)
class Workspace:
    """A package of the repository's own.

    Attributes:
        name: what sources import it by.
        directory: its path, relative to that of the root's manifest.
        manifest: its `package.json` as npm gets it.
        wanted: the versions of packages that it asks for, of other workspaces, too.
    """

    name: str
    directory: RepoPath
    manifest: JsonObject
    wanted: Mapping[str, str]

    @property
    def path(self) -> str:
        """The path of its manifest."""
        return f"{self.directory}/{MANIFEST}"

    @property
    def package(self) -> Package:
        """It as a package of an environment: sources may import it, manifests may ask for it."""
        return Package("node", self.name, str(self.manifest.get("version", "")), is_direct=True)


def workspaces_of(manifest: JsonObject, files: CommitFiles) -> tuple[Workspace, ...]:
    """The workspaces that a manifest names, by their paths; none where it names none.

    Args:
        manifest: that of the root.
        files: the commit's files.

    Raises:
        BadPackages: what names them, or one of their manifests, can't be used.
    """
    folders = _folders(manifest, files)
    if len(folders) > _MOST:
        raise BadPackages(f"`{KEY}` names more than {_MOST} directories", where=MANIFEST)
    documents = {folder: _manifest(f"{folder}/{MANIFEST}", files) for folder in folders}
    names: dict[str, str] = {}
    for folder, document in documents.items():
        name = _name(folder, document)
        if name in names:
            raise BadPackages(
                f"two workspaces have the name `{name}`: {names[name]} and {folder}",
                where=f"{folder}/{MANIFEST}",
                hint="give each a name of its own",
            )
        names[name] = folder
    return tuple(
        Workspace(
            name,
            _directory(folder),
            handed_on(documents[folder]),
            dict(wanted(documents[folder], f"{folder}/{MANIFEST}", names)),
        )
        for name, folder in names.items()
    )


def named_by(manifest: JsonObject) -> JsonObject:
    """What names the workspaces, for npm; empty where nothing does.

    Raises:
        BadPackages: it is neither a list nor an object with one.
    """
    patterns = _patterns(manifest.get(KEY))
    if not patterns:
        return {}
    listed: list[JsonValue] = list(patterns)
    return {KEY: listed if isinstance(manifest[KEY], list) else {"packages": listed}}


def own_locks(workspaces: Iterable[Workspace], files: CommitFiles, locks: Iterable[str]) -> bool:
    """Whether one of the workspaces is locked by itself, as a project of its own is."""
    names = tuple(locks)
    return any(f"{one.directory}/{lock}" in files.names for one in workspaces for lock in names)


def _folders(manifest: JsonObject, files: CommitFiles) -> tuple[str, ...]:
    patterns = _patterns(manifest.get(KEY))
    if not patterns:
        return ()
    ending = f"/{MANIFEST}"
    known = [
        name.removesuffix(ending)
        for name in files.names
        if name.endswith(ending) and "node_modules" not in name.split("/")
    ]
    found = chosen(patterns, known)
    for path in plain(patterns):
        # One that is not there yet may be made by a work order; npm passes over it, too.
        if path not in known and any(name.startswith(f"{path}/") for name in files.names):
            raise BadPackages(
                f"`{KEY}` names `{path}`, which has no {MANIFEST}",
                where=MANIFEST,
                hint=f"give it one with its name, or take it out of `{KEY}`",
            )
    return found


def _directory(folder: str) -> RepoPath:
    try:
        return RepoPath.parse(folder)
    except UnsafePath as error:
        raise BadPackages(
            f"a workspace can't lie there: {error.message}",
            where=f"{folder}/{MANIFEST}",
            hint="give the directory another name",
        ) from error


def _patterns(named: JsonValue) -> tuple[str, ...]:
    patterns = named.get("packages", []) if isinstance(named, dict) else named or []
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        raise BadPackages(
            f"`{KEY}` is no list of paths, nor an object whose `packages` is one",
            where=MANIFEST,
            hint='write `"workspaces": ["packages/*"]`',
        )
    return tuple(map(str, patterns))


def _manifest(path: str, files: CommitFiles) -> JsonObject:
    document = json_object(files.text(path) or "", path)
    version = document.get("version")
    if version is not None and not (isinstance(version, str) and _VERSION.fullmatch(version)):
        raise BadPackages(
            f"`version` is none: {str(version)[:100]}", where=path, hint="write one such as `1.0.0`"
        )
    return document


def _name(folder: str, document: JsonObject) -> str:
    """What a workspace is called; by its directory, as npm does, where it does not say."""
    above, _, last = f"/{folder}".rpartition("/")
    scope = above.rpartition("/")[2]
    name = document.get("name") or (f"{scope}/{last}" if scope.startswith("@") else last)
    if not isinstance(name, str) or len(name) > _MOST_NAME_CHARS or not is_name(name):
        raise BadPackages(
            f"a workspace can't have this name: {str(name)[:100]}",
            where=f"{folder}/{MANIFEST}",
            hint='give it one such as `"name": "@shop/words"`',
        )
    return name
