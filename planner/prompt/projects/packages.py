"""The packages that the files of a project declare, as they are written there, for a prompt. Pure.

Whether they can be had is for the factory's environments; here what can't be read declares nothing.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.text import Read

MOST_NAMED: Final = 60
"""How many packages of a project are named."""

_REQUIREMENTS: Final = re.compile(r"requirements[\w.-]*\.(?:txt|in)")
_REQUIREMENT: Final = re.compile(r"[A-Za-z0-9][\w.-]*(?:\[[\w,. -]*\])?\s*[^;#\\]*")
_MANIFEST: Final = "package.json"


def declared_packages(files: frozenset[str], read: Read) -> tuple[str, ...]:
    """The packages, each with the versions that are wanted, in the order of the files that declare them.

    Args:
        files: the paths of the project's files, relative to it.
        read: gives their bytes.
    """
    named: dict[str, None] = {}
    for path in (
        "workorder.toml",
        "pyproject.toml",
        *sorted(filter(_REQUIREMENTS.fullmatch, files)),
        _MANIFEST,
    ):
        if path in files:
            named.update(dict.fromkeys(_of_file(path, read)))
    return tuple(named)[:MOST_NAMED]


def _of_file(path: str, read: Read) -> Iterator[str]:
    try:
        text = (read(path) or b"").decode("utf-8")
        if path.endswith(".toml"):
            yield from _of_toml(path, tomllib.loads(text))
        elif path == _MANIFEST:
            yield from _of_manifest(json.loads(text))
        else:
            lines = (line.strip() for line in text.splitlines())
            yield from (match[0].strip() for line in lines if (match := _REQUIREMENT.match(line)))
    except (WorkorderError, ValueError, RecursionError):
        return


def _of_toml(path: str, document: object) -> Iterator[str]:
    own = document if path == "workorder.toml" else _at(document, "tool", "workorder")
    yield from _texts(_at(document, "project", "dependencies"))
    for groups in (_at(document, "project", "optional-dependencies"), _at(document, "dependency-groups")):
        for group in groups.values() if isinstance(groups, dict) else ():
            yield from _texts(group)
    yield from _texts(_at(own, "environment", "python"))
    yield from _ranges(_at(own, "environment", "node"))
    yield from _ranges(_at(own, "environment", "node-dev"))


def _of_manifest(document: object) -> Iterator[str]:
    for key in ("dependencies", "devDependencies"):
        yield from _ranges(_at(document, key))


def _at(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _texts(value: object) -> Iterator[str]:
    yield from (entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()


def _ranges(value: object) -> Iterator[str]:
    yield from (f"{name}@{wanted}" for name, wanted in value.items()) if isinstance(value, dict) else ()
