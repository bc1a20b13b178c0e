"""What a repository asks for of npm's registry, and what its lock holds: `package.json`, `package-lock.json`.

Everything that is no version of a package of a registry is refused by name: git, URLs, files, workspaces.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import yaml

from factory.contract.canonical import readable_json
from factory.contract.packages.names import is_node_package, is_node_range
from factory.contract.strict_json import JsonObject, JsonValue
from factory.environments.environment import Package
from factory.environments.needs.declared import BadPackages, CommitFiles, Declared

MANIFEST: Final = "package.json"
LOCK: Final = "package-lock.json"
PNPM_LOCK: Final = "pnpm-lock.yaml"
PNPM_SETTINGS: Final = "pnpm-workspace.yaml"
FILES: Final = (MANIFEST, LOCK, PNPM_LOCK, PNPM_SETTINGS)
"""What is read at the root."""

_NOT_READ: Final = ("yarn.lock", "bun.lock", "bun.lockb")

_TABLES: Final = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_HANDED_ON: Final = ("name", "version", "private", *_TABLES, "peerDependenciesMeta", "overrides")
_ALIAS: Final = re.compile(r"npm:(?P<name>@?[^@]+)@(?P<range>.*)")
_ANY_NAME: Final = re.compile(r"(?:@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~_][A-Za-z0-9._~-]*")
_PUBLIC: Final = "https://registry.npmjs.org/"
_INTEGRITY: Final = re.compile(r"sha(?:512|384|256)-[A-Za-z0-9+/]+={0,2}(?: sha(?:512|384|256)-\S+)*")
_OLDEST_FORMAT: Final = 2
_MAX_YAML_CHARS: Final = 3_000_000
_MAX_SETTINGS_CHARS: Final = 100_000
_ASKS: Final = re.compile(r'"(?:dev|optional|peer)?[dD]ependencies"\s*:\s*\{\s*"')
_PNPM_HANDED_ON: Final = (
    "overrides", "packageExtensions", "ignoredOptionalDependencies", "autoInstallPeers",
    "excludeLinksFromLockfile", "nodeLinker", "hoist", "hoistPattern", "publicHoistPattern",
    "shamefullyHoist",
)  # fmt: skip
"""Settings that pnpm holds its lock against, and that say how packages lie; none that says where from."""

_HINT: Final = "packages come from the registry of your own configuration, see the page on environments"


@dataclass(frozen=True)
class NodeNeeds:
    """What is asked for of npm's registry.

    Attributes:
        manifest: `package.json` as npm gets it: names and versions alone.
        text: `package.json` as it is to be in the repository; None if it is there already.
        lock: `package-lock.json` as npm gets it; None if there is none that holds all.
        before: the lock that is there, if it does not hold all.
        direct: the names of the packages that were asked for.
        pnpm: the text of `pnpm-lock.yaml`, where that is the repository's lock.
        pnpm_settings: what pnpm gets of `pnpm-workspace.yaml`; empty for nothing.
    """

    manifest: JsonObject
    text: bytes | None
    lock: JsonObject | None
    before: JsonObject | None
    direct: frozenset[str]
    pnpm: str | None = None
    pnpm_settings: JsonObject = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether it is yet to be locked."""
        return self.lock is None and self.pnpm is None


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
    manifest: JsonObject = {"private": True} if text is None else _object(text, MANIFEST)
    wanted = dict(_wanted(manifest))
    if not wanted and not declared.node and LOCK not in files.names:
        return None
    named = _naming_workspaces(manifest, files)
    if named:
        raise BadPackages(
            "workspaces are not supported yet",
            where=named,
            hint="declare the packages in one manifest; or take the workspaces and the lock out, and name the"
            " directories as `projects` in workorder.toml: each gets a lock of its own",
        )
    _refuse_overrides(manifest.get("overrides"))
    added = _added(wanted, declared)
    lock_text = files.text(LOCK)
    if lock_text is None and PNPM_LOCK in files.names:
        if added:
            raise BadPackages(
                f"does not have {', '.join(sorted(added))}, and Workorder can't write it",
                where=PNPM_LOCK,
                hint=f"run `pnpm add {' '.join(sorted(added))}`, and commit",
            )
        pnpm = _checked_pnpm_lock(files.text(PNPM_LOCK) or "")
        settings = _pnpm_settings(files.text(PNPM_SETTINGS) or "")
        # Where pnpm before version 11 has its settings.
        older = _of_pnpm(manifest.get("pnpm"))
        whole = {**_handed_on(manifest), **({"pnpm": older} if older else {})}
        return NodeNeeds(whole, None, None, None, frozenset(wanted), pnpm, settings)
    foreign = next((name for name in _NOT_READ if name in files.names), None)
    if lock_text is None and foreign is not None:
        raise BadPackages(
            "is not read: only npm's lock and that of pnpm are",
            where=foreign,
            hint="run `npm install --package-lock-only`, and commit the lock",
        )
    lock = None if lock_text is None else _checked_lock(_object(lock_text, LOCK))
    if lock is not None:
        _require_fit(manifest, lock)
    whole = _with(manifest, added)
    return NodeNeeds(
        manifest=_handed_on(whole),
        text=_written(text, whole) if added else None,
        lock=None if added else lock,
        before=lock if added else None,
        direct=frozenset({*wanted, *added}),
    )


def unread_workspaces(files: CommitFiles) -> str:
    """What a person should know of workspaces whose root asks for nothing itself; empty if that is nothing.

    Args:
        files: the commit's files.

    Raises:
        BadPackages: the root's manifest can't be read.
    """
    text = files.text(MANIFEST)
    named = "" if text is None else _naming_workspaces(_object(text, MANIFEST), files)
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


def locked_packages(lock: JsonObject, direct: frozenset[str]) -> tuple[Package, ...]:
    """The packages that a lock holds, sorted; without those of other platforms alone."""
    packages = set()
    for place, entry in _entries(lock):
        name = place.rpartition("node_modules/")[2]
        if place and not (entry.get("optional") and (entry.get("os") or entry.get("cpu"))):
            is_direct = place == f"node_modules/{name}" and name in direct
            packages.add((name, str(entry.get("version", "")), is_direct))
    return tuple(Package("node", *parts) for parts in sorted(packages))


def checked_lock(text: str) -> JsonObject:
    """A lock as npm may get it, out of one that npm made.

    Raises:
        BadPackages: it holds what does not come from a registry.
    """
    return _checked_lock(_object(text, LOCK))


def _wanted(manifest: JsonObject) -> Iterator[tuple[str, str]]:
    for table in _TABLES:
        entries = manifest.get(table, {})
        if not isinstance(entries, dict):
            raise BadPackages(f"`{table}` is no table of packages", where=MANIFEST)
        for name, wanted in entries.items():
            if not _ANY_NAME.fullmatch(name) or not isinstance(wanted, str) or not _is_of_registry(wanted):
                raise BadPackages(
                    f"`{table}`: `{name[:100]}` is not taken from a registry: {str(wanted)[:100]}",
                    where=MANIFEST,
                    hint=_HINT,
                )
            yield name, wanted


def _is_of_registry(wanted: str) -> bool:
    alias = _ALIAS.fullmatch(wanted)
    return (
        is_node_range(wanted)
        if alias is None
        else bool(_ANY_NAME.fullmatch(alias["name"]) and is_node_range(alias["range"]))
    )


def _refuse_overrides(overrides: JsonValue) -> None:
    match overrides:
        case None:
            return
        case dict():
            for inner in overrides.values():
                _refuse_overrides(inner)
        case str() if _is_of_registry(overrides) or is_node_package(overrides.removeprefix("$")):
            return
        case _:
            raise BadPackages(
                f"`overrides` takes a package from elsewhere than a registry: {str(overrides)[:100]}",
                where=MANIFEST,
                hint=_HINT,
            )


def _added(wanted: Mapping[str, str], declared: Declared) -> dict[str, str]:
    added = {}
    for name, range_ in declared.node.items():
        if name not in wanted:
            added[name] = range_
        elif wanted[name] != range_:
            raise declared.error(
                f"`{name}` is declared as `{range_}`, and {MANIFEST} asks for `{wanted[name]}`",
                name,
                "make both the same, or declare it in one place",
            )
    return added


def _with(manifest: JsonObject, added: Mapping[str, str]) -> JsonObject:
    if not added:
        return manifest
    present = manifest.get("dependencies", {})
    assert isinstance(present, dict)
    return {**manifest, "dependencies": dict(sorted({**present, **added}.items()))}


def _written(before: str | None, manifest: JsonObject) -> bytes:
    """`package.json` with its keys in their order, indented as it was."""
    if before is None:
        return readable_json(manifest)
    match = re.search(r"\n([ \t]+)\"", before)
    indent = match[1] if match else "  "
    return (json.dumps(manifest, indent=indent, ensure_ascii=False) + "\n").encode()


def _handed_on(manifest: JsonObject) -> JsonObject:
    return {key: manifest[key] for key in _HANDED_ON if key in manifest}


def _require_fit(manifest: JsonObject, lock: JsonObject) -> None:
    """Refuse a lock of other wishes than those of the manifest, as `npm ci` does."""
    packages = lock["packages"]
    assert isinstance(packages, dict)
    root = packages.get("", {})
    for table in _TABLES:
        locked = root.get(table, {}) if isinstance(root, dict) else {}
        asked = manifest.get(table, {})
        if isinstance(locked, dict) and isinstance(asked, dict) and locked != asked:
            names = sorted(name for name in {*locked, *asked} if locked.get(name) != asked.get(name))
            raise BadPackages(
                f"does not fit {MANIFEST}: `{names[0][:100]}` in `{table}`",
                where=LOCK,
                hint="run `npm install --package-lock-only`, and commit the lock",
            )


def _checked_lock(lock: JsonObject) -> JsonObject:
    """A lock in which every package is a registry's, by its hash, from nowhere in particular."""
    version = lock.get("lockfileVersion")
    if not isinstance(version, int) or version < _OLDEST_FORMAT:
        raise BadPackages(
            "is of a format before npm 7",
            where=LOCK,
            hint="run `npm install --package-lock-only`, and commit it",
        )
    packages: JsonObject = {}
    for place, entry in _entries(lock):
        packages[place] = entry if not place else _checked_entry(place, entry)
    return {"lockfileVersion": version, "requires": True, "packages": packages}


def _checked_entry(place: str, entry: JsonObject) -> JsonObject:
    name = place.rpartition("node_modules/")[2]
    integrity, resolved = entry.get("integrity"), entry.get("resolved")
    segments = place.split("/")
    if not place.startswith("node_modules/") or ".." in segments or not _ANY_NAME.fullmatch(name):
        raise BadPackages(f"holds what is no place of a package: {place[:100]}", where=LOCK, hint=_HINT)
    if entry.get("link") or (isinstance(resolved, str) and not resolved.startswith(("https:", "http:"))):
        raise BadPackages(f"{name} does not come from a registry", where=LOCK, hint=_HINT)
    if entry.get("inBundle"):
        return entry
    if not isinstance(integrity, str) or not _INTEGRITY.fullmatch(integrity):
        raise BadPackages(f"{name} has no hash", where=LOCK, hint="run `npm install --package-lock-only`")
    # npm takes this one for the registry of its configuration. Any other place is not believed.
    keeps = isinstance(resolved, str) and resolved.startswith(_PUBLIC)
    return entry if keeps else {key: value for key, value in entry.items() if key != "resolved"}


def _checked_pnpm_lock(text: str) -> str:
    """A lock of pnpm in which every package is a registry's, by its hash."""
    document = _yaml(text, PNPM_LOCK)
    packages = document.get("packages") or {} if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(packages, dict):
        raise BadPackages("is not a lock as its format has it", where=PNPM_LOCK)
    for name, entry in packages.items():
        resolution = entry.get("resolution") if isinstance(entry, dict) else None
        if not isinstance(resolution, dict) or set(resolution) != {"integrity"}:
            raise BadPackages(f"{str(name)[:100]} does not come from a registry", where=PNPM_LOCK, hint=_HINT)
    if document.get("patchedDependencies"):
        raise BadPackages("patches packages, which is not supported", where=PNPM_LOCK, hint=_HINT)
    return text


def _naming_workspaces(manifest: JsonObject, files: CommitFiles) -> str:
    """The file that names workspaces, those of npm or of pnpm; empty for none."""
    if manifest.get("workspaces"):
        return MANIFEST
    settings = _yaml(files.text(PNPM_SETTINGS) or "", PNPM_SETTINGS, _MAX_SETTINGS_CHARS)
    packages = settings.get("packages") if isinstance(settings, dict) else None
    return PNPM_SETTINGS if packages and packages != ["."] else ""


def _pnpm_settings(text: str) -> JsonObject:
    settings = _yaml(text, PNPM_SETTINGS, _MAX_SETTINGS_CHARS)
    # Of what is said twice by a reference, a short text may write out more than any memory holds.
    if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
        raise BadPackages("holds references, which are not read", where=PNPM_SETTINGS)
    try:
        # Without dates and the like, which YAML has and what the settings are written as has not.
        plain = json.loads(json.dumps(_of_pnpm(settings), allow_nan=False)) if settings else {}
    except (TypeError, ValueError, RecursionError) as error:
        raise BadPackages("holds what is no setting of pnpm", where=PNPM_SETTINGS) from error
    return _as_object(plain, PNPM_SETTINGS)


def _of_pnpm(settings: JsonValue) -> JsonObject:
    known = settings if isinstance(settings, dict) else {}
    return {key: known[key] for key in _PNPM_HANDED_ON if key in known}


def _yaml(text: str, where: str, most: int = _MAX_YAML_CHARS) -> JsonValue:
    if len(text) > most:
        raise BadPackages(f"has more than {most:,} characters", where=where)
    try:
        value: JsonValue = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BadPackages("is not valid YAML", where=where) from error
    return value


def _entries(lock: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    packages = lock.get("packages")
    if not isinstance(packages, dict):
        raise BadPackages("is not a lock as its format has it", where=LOCK)
    for place, entry in packages.items():
        if not isinstance(entry, dict):
            raise BadPackages("is not a lock as its format has it", where=LOCK)
        yield place, entry


def _object(text: str, where: str) -> JsonObject:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadPackages("is not valid JSON", where=where) from error
    return _as_object(value, where)


def _as_object(value: JsonValue, where: str) -> JsonObject:
    if not isinstance(value, dict):
        raise BadPackages("is not an object", where=where)
    return value
