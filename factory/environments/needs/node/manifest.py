"""What one `package.json` asks for, and what of it npm gets: names and versions alone."""

import re
from collections.abc import Collection, Iterator
from typing import Final

from factory.contract.packages.names import is_node_package, is_node_range
from factory.contract.strict_json import JsonObject, JsonValue
from factory.environments.needs.declared import BadPackages

MANIFEST: Final = "package.json"
TABLES: Final = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
"""The tables of a manifest that ask for packages."""

ELSEWHERE: Final = "packages come from the registry of your own configuration, see the page on environments"
"""What to do about a package that comes from elsewhere."""

_HANDED_ON: Final = ("name", "version", "private", *TABLES, "peerDependenciesMeta")
_ALIAS: Final = re.compile(r"npm:(?P<name>@?[^@]+)@(?P<range>.*)")
_ANY_NAME: Final = re.compile(r"(?:@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~_][A-Za-z0-9._~-]*")


def is_name(text: str) -> bool:
    """Whether a text may be the name of a package, also one from before there were rules for names."""
    return _ANY_NAME.fullmatch(text) is not None


def wanted(manifest: JsonObject, where: str, own: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """The packages that a manifest asks for, each with the versions that it wants.

    Args:
        manifest: the manifest.
        where: its path.
        own: the names of the repository's workspaces.

    Raises:
        BadPackages: it asks for what is no version of a package.
    """
    for table in TABLES:
        entries = manifest.get(table, {})
        if not isinstance(entries, dict):
            raise BadPackages(f"`{table}` is no table of packages", where=where)
        for name, versions in entries.items():
            if not is_name(name) or not isinstance(versions, str) or not _is_of_registry(versions):
                raise BadPackages(
                    f"`{table}`: `{name[:100]}` is not taken from a registry: {str(versions)[:100]}",
                    where=where,
                    hint="npm finds a workspace by its name: ask for `*`, or for its version"
                    if name in own
                    else ELSEWHERE,
                )
            yield name, versions


def refuse_overrides(overrides: JsonValue) -> None:
    """Refuse overrides that take a package from elsewhere than a registry.

    Raises:
        BadPackages: one does.
    """
    match overrides:
        case None:
            return
        case dict():
            for inner in overrides.values():
                refuse_overrides(inner)
        case str() if _is_of_registry(overrides) or is_node_package(overrides.removeprefix("$")):
            return
        case _:
            raise BadPackages(
                f"`overrides` takes a package from elsewhere than a registry: {str(overrides)[:100]}",
                where=MANIFEST,
                hint=ELSEWHERE,
            )


def handed_on(manifest: JsonObject, *more: str) -> JsonObject:
    """What npm gets of a manifest, or of what a lock says of one; nothing that it would run.

    Args:
        manifest: the manifest.
        more: further keys that it gets.
    """
    return {key: manifest[key] for key in (*_HANDED_ON, *more) if key in manifest}


def _is_of_registry(versions: str) -> bool:
    alias = _ALIAS.fullmatch(versions)
    return (
        is_node_range(versions)
        if alias is None
        else bool(is_name(alias["name"]) and is_node_range(alias["range"]))
    )
