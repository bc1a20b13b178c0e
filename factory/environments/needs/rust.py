"""What a Rust package asks for: the `Cargo.toml` files of a repository, and what `Cargo.lock` holds."""

import posixpath
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from factory.environments.environment import Package
from factory.environments.needs.declared import BadPackages, CommitFiles

MANIFEST: Final = "Cargo.toml"
LOCK: Final = "Cargo.lock"
FILES: Final = (MANIFEST, LOCK)
"""What is read at the root."""

_TABLES: Final = ("dependencies", "dev-dependencies", "build-dependencies")
_ELSEWHERE: Final = ("git", "registry", "registry-index")
_REGISTRIES: Final = (
    "registry+https://github.com/rust-lang/crates.io-index",
    "sparse+https://index.crates.io/",
)
_MAX_MANIFESTS: Final = 500
_HINT: Final = "take it from crates.io, or from what your own cargo configuration puts in its place"


@dataclass(frozen=True)
class RustNeeds:
    """What is asked for.

    Attributes:
        texts: the files that cargo gets: every `Cargo.toml`, and the root's `Cargo.lock`.
        sources: the names of the Rust sources: cargo wants to see that there are some.
        wants: whether any manifest asks for a crate of a registry.
        packages: the crates that the lock holds.
        is_locked: whether there is a lock.
    """

    texts: Mapping[str, str]
    sources: tuple[str, ...]
    wants: bool
    packages: tuple[Package, ...]
    is_locked: bool

    @property
    def is_open(self) -> bool:
        """Whether it is yet to be locked."""
        return self.wants and not self.is_locked


def rust_needs(files: CommitFiles) -> RustNeeds | None:
    """What the files of a commit ask for; None if they are no Rust package.

    Raises:
        BadPackages: a file can't be read, or asks for what does not come from a registry.
    """
    if files.text(MANIFEST) is None:
        return None
    manifests = sorted(name for name in files.names if posixpath.basename(name) == MANIFEST)
    if len(manifests) > _MAX_MANIFESTS:
        raise BadPackages(f"is one of more than {_MAX_MANIFESTS} packages", where=MANIFEST)
    texts = {name: files.text(name) or "" for name in manifests}
    wanted: set[str] = set()
    for name, text in texts.items():
        wanted |= set(_wanted(_toml(text, name), name))
    lock = files.text(LOCK)
    packages: tuple[Package, ...] = ()
    if lock is not None:
        packages = tuple(_locked(_toml(lock, LOCK), wanted))
        texts[LOCK] = lock
    sources = tuple(sorted(name for name in files.names if name.endswith(".rs")))
    return RustNeeds(texts, sources, bool(wanted), packages, lock is not None)


def _wanted(manifest: Mapping[str, Any], where: str) -> Iterator[str]:
    """The names of the crates that a manifest asks a registry for."""
    if manifest.get("patch") or manifest.get("replace"):
        raise BadPackages("replaces crates by others (`patch`, `replace`)", where=where, hint=_HINT)
    targets = manifest.get("target", {})
    workspace = manifest.get("workspace", {})
    holders = [manifest, *(targets.values() if isinstance(targets, dict) else ()), workspace]
    for holder in holders:
        for table in _TABLES if isinstance(holder, dict) else ():
            entries = holder.get(table, {})
            if not isinstance(entries, dict):
                raise BadPackages(f"`{table}` is no table of crates", where=where)
            for name, entry in entries.items():
                if _is_of_registry(name, entry, where):
                    yield str(entry.get("package", name)) if isinstance(entry, dict) else name


def _is_of_registry(name: str, entry: object, where: str) -> bool:
    if isinstance(entry, str):
        return True
    if not isinstance(entry, dict):
        raise BadPackages(f"`{name[:100]}` is no dependency", where=where)
    for key in _ELSEWHERE:
        if key in entry:
            raise BadPackages(
                f"`{name[:100]}` does not come from crates.io (`{key}`)", where=where, hint=_HINT
            )
    if "path" in entry:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(where), str(entry["path"])))
        if place.startswith(("..", "/")):
            raise BadPackages(f"`{name[:100]}` lies outside of the repository", where=where)
        return False
    return not entry.get("workspace")


def _locked(lock: Mapping[str, Any], wanted: set[str]) -> Iterator[Package]:
    entries = lock.get("package", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadPackages("is not a lock as its format has it", where=LOCK)
    for entry in entries:
        name, version, source = (str(entry.get(key, "")) for key in ("name", "version", "source"))
        if not source:
            continue
        if source not in _REGISTRIES or not entry.get("checksum"):
            raise BadPackages(
                f"{name[:100]} does not come from crates.io, by its hash", where=LOCK, hint=_HINT
            )
        yield Package("rust", name, version, is_direct=name in wanted)


def _toml(text: str, where: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadPackages("is not valid TOML", where=where) from error
