"""What a repository asks for of npm's registry, by its manifest, workspaces and lock, and what is declared.

Everything that is no version of a package of a registry is refused by name: git, URLs, files.
"""

import json
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from factory.contract.canonical import readable_json
from factory.contract.strict_json import JsonObject
from factory.environments.needs.declared import BadPackages, CommitFiles, Declared
from factory.environments.needs.node.documents import json_object
from factory.environments.needs.node.lock import LOCK, checked_lock, lacking, require_fit
from factory.environments.needs.node.manifest import MANIFEST, handed_on, refuse_overrides, wanted
from factory.environments.needs.node.pnpm import (
    PNPM_LOCK,
    PNPM_SETTINGS,
    checked_pnpm_lock,
    names_workspaces,
    of_pnpm,
    pnpm_settings,
)
from factory.environments.needs.node.workspaces import KEY, Workspace, named_by, own_locks, workspaces_of

FILES: Final = (MANIFEST, LOCK, PNPM_LOCK, PNPM_SETTINGS)
"""What is read at the root."""

_NOT_READ: Final = ("yarn.lock", "bun.lock", "bun.lockb")
_ASKS: Final = re.compile(r'"(?:dev|optional|peer)?[dD]ependencies"\s*:\s*\{\s*"')


@dataclass(frozen=True)
class NodeNeeds:
    """What is asked for of npm's registry.

    Attributes:
        manifest: `package.json` as npm gets it: names and versions alone.
        text: `package.json` as it is to be in the repository; None if it is there already.
        lock: `package-lock.json` as npm gets it; None if there is none that holds all.
        before: the lock that is there, if it does not hold all.
        direct: the names of the packages that were asked for.
        workspaces: the packages of the repository's own.
        pnpm: the text of `pnpm-lock.yaml`, where that is the repository's lock.
        pnpm_settings: what pnpm gets of `pnpm-workspace.yaml`; empty for nothing.
    """

    manifest: JsonObject
    text: bytes | None
    lock: JsonObject | None
    before: JsonObject | None
    direct: frozenset[str]
    workspaces: tuple[Workspace, ...] = ()
    pnpm: str | None = None
    pnpm_settings: JsonObject = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether it is yet to be locked."""
        return self.lock is None and self.pnpm is None

    @property
    def manifests(self) -> Mapping[str, JsonObject]:
        """The manifests as npm gets them, by their paths."""
        return {
            MANIFEST: self.manifest,
            **{workspace.path: workspace.manifest for workspace in self.workspaces},
        }


def node_needs(files: CommitFiles, declared: Declared) -> NodeNeeds | None:
    """What the files of a commit, and what is declared beside them, ask for; None for nothing.

    Args:
        files: the commit's files.
        declared: by the configuration and the plan.

    Raises:
        BadPackages: a file can't be read, asks for more than packages of a registry, or a lock does not fit.
    """
    text = files.text(MANIFEST)
    if text is None and not declared.node:
        return None
    manifest: JsonObject = {"private": True} if text is None else json_object(text, MANIFEST)
    workspaces = _read_workspaces(manifest, files)
    asked = dict(wanted(manifest, MANIFEST, [workspace.name for workspace in workspaces]))
    if not asked and not workspaces and not declared.node and LOCK not in files.names:
        return None
    unread = _naming_unread(manifest, files)
    if unread:
        raise BadPackages(
            "workspaces are not supported with pnpm yet",
            where=unread,
            hint="lock with npm, by `workspaces` in package.json; or take the workspaces and the lock out,"
            " and name the directories as `projects` in workorder.toml: each gets a lock of its own",
        )
    refuse_overrides(manifest.get("overrides"))
    added = _added(asked, workspaces, declared)
    if LOCK not in files.names and PNPM_LOCK in files.names:
        return _of_pnpm_lock(manifest, asked, added, declared.node_dev, files)
    whole = _with(manifest, added, declared.node_dev)
    return _of_npm(text, manifest, whole, workspaces, files)


def unread_workspaces(files: CommitFiles) -> str:
    """What a person should know of workspaces that are not read, whose root asks for nothing itself.

    Args:
        files: the commit's files.

    Returns:
        It, or an empty text if that is nothing.

    Raises:
        BadPackages: the root's manifest can't be read.
    """
    text = files.text(MANIFEST)
    manifest = {} if text is None else json_object(text, MANIFEST)
    named = _naming_unread(manifest, files)
    if not named and manifest.get(KEY) and not _read_workspaces(manifest, files):
        named = MANIFEST
    if not named:
        return ""
    for path in sorted(name for name in files.names if name.endswith(f"/{MANIFEST}")):
        folder = path.removesuffix(MANIFEST)
        is_locked = bool({f"{folder}{LOCK}", f"{folder}{PNPM_LOCK}"} & files.names)
        # Looked at, not read: there may be anything below the root.
        if not is_locked and _ASKS.search((files.read(path) or b"").decode("utf-8", "replace")):
            return (
                f"{named}: workspaces are not read, such as {path}: name the directories as `projects` in"
                " workorder.toml"
            )
    return ""


def _read_workspaces(manifest: JsonObject, files: CommitFiles) -> tuple[Workspace, ...]:
    """The workspaces that npm links; none where they are pnpm's, or projects with locks of their own."""
    if _naming_unread(manifest, files):
        return ()
    workspaces = workspaces_of(manifest, files)
    are_projects = LOCK not in files.names and own_locks(workspaces, files, (LOCK, PNPM_LOCK))
    return () if are_projects else workspaces


def _naming_unread(manifest: JsonObject, files: CommitFiles) -> str:
    """The file that names workspaces of pnpm, which are not read; empty for none."""
    if names_workspaces(files.text(PNPM_SETTINGS) or ""):
        return PNPM_SETTINGS
    is_of_pnpm = PNPM_LOCK in files.names and LOCK not in files.names
    return MANIFEST if manifest.get(KEY) and is_of_pnpm else ""


def _of_pnpm_lock(
    manifest: JsonObject,
    asked: Mapping[str, str],
    added: Mapping[str, str],
    dev: Set[str],
    files: CommitFiles,
) -> NodeNeeds:
    if added:
        calls = (("pnpm add", added.keys() - dev), ("pnpm add -D", added.keys() & dev))
        run = " and ".join(f"`{call} {' '.join(sorted(names))}`" for call, names in calls if names)
        raise BadPackages(
            f"does not have {', '.join(sorted(added))}, and Workorder can't write it",
            where=PNPM_LOCK,
            hint=f"run {run}, and commit",
        )
    # Where pnpm before version 11 has its settings.
    older = of_pnpm(manifest.get("pnpm"))
    return NodeNeeds(
        manifest={**handed_on(manifest, "overrides"), **({"pnpm": older} if older else {})},
        text=None,
        lock=None,
        before=None,
        direct=frozenset(asked),
        pnpm=checked_pnpm_lock(files.text(PNPM_LOCK) or ""),
        pnpm_settings=pnpm_settings(files.text(PNPM_SETTINGS) or ""),
    )


def _of_npm(
    text: str | None,
    manifest: JsonObject,
    whole: JsonObject,
    workspaces: tuple[Workspace, ...],
    files: CommitFiles,
) -> NodeNeeds:
    """Of npm.

    Args:
        text: `package.json` as it is; None if there is none.
        manifest: what it says.
        whole: the same with what is declared.
        workspaces: the packages of the repository's own.
        files: the commit's files.
    """
    lock_text = files.text(LOCK)
    foreign = next((name for name in _NOT_READ if name in files.names), None)
    if lock_text is None and foreign is not None:
        raise BadPackages(
            "is not read: only npm's lock and that of pnpm are",
            where=foreign,
            hint="run `npm install --package-lock-only`, and commit the lock",
        )
    lock = None if lock_text is None else checked_lock(lock_text, workspaces)
    lacks = () if lock is None else lacking(lock, workspaces)
    if lock is not None:
        require_fit(manifest, lock, [workspace for workspace in workspaces if workspace not in lacks])
    is_whole = whole == manifest and not lacks
    names = {workspace.name for workspace in workspaces}
    asked = {name for one in workspaces for name in one.wanted} | {
        name for name, _ in wanted(whole, MANIFEST)
    }
    return NodeNeeds(
        manifest={**handed_on(whole, "overrides"), **(named_by(manifest) if workspaces else {})},
        text=_written(text, whole) if whole != manifest else None,
        lock=lock if is_whole else None,
        before=None if is_whole else lock,
        direct=frozenset(asked - names),
        workspaces=workspaces,
    )


def _added(asked: Mapping[str, str], workspaces: Sequence[Workspace], declared: Declared) -> dict[str, str]:
    """What is declared and no manifest asks for."""
    added = {}
    asking = {MANIFEST: asked, **{workspace.path: workspace.wanted for workspace in workspaces}}
    names = {workspace.name for workspace in workspaces}
    for name, versions in declared.node.items():
        if name in names:
            raise declared.error(
                f"`{name}` is declared, and is a workspace of the repository",
                name,
                "take it out: workspaces are there without being declared",
            )
        others = {path: table[name] for path, table in asking.items() if name in table}
        for path, other in others.items():
            if other != versions:
                raise declared.error(
                    f"`{name}` is declared as `{versions}`, and {path} asks for `{other}`",
                    name,
                    "make both the same, or declare it in one place",
                )
        if not others:
            added[name] = versions
    return added


def _with(manifest: JsonObject, added: Mapping[str, str], dev: Set[str]) -> JsonObject:
    """A manifest that asks for more, of which some is for development only."""
    whole = dict(manifest)
    for name, versions in added.items():
        table = "devDependencies" if name in dev else "dependencies"
        present = whole.get(table, {})
        assert isinstance(present, dict)
        whole[table] = dict(sorted({**present, name: versions}.items()))
    return whole


def _written(before: str | None, manifest: JsonObject) -> bytes:
    """`package.json` with its keys in their order, indented as it was."""
    if before is None:
        return readable_json(manifest)
    match = re.search(r"\n([ \t]+)\"", before)
    indent = match[1] if match else "  "
    return (json.dumps(manifest, indent=indent, ensure_ascii=False) + "\n").encode()
