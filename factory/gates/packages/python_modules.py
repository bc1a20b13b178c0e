"""The modules that the Python packages of an environment bring, by their lists of files."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from factory.contract.packages.names import normalised_name
from factory.environments.environment import Environment
from factory.system.files.tree import FileProblem, read_bounded

_LIST_BYTES: Final = 20_000_000
_INFO: Final = ".dist-info"
_NEEDS: Final = re.compile(r"^Requires-Dist: *(?P<name>[A-Za-z0-9._-]+)(?P<rest>.*)$", re.MULTILINE)


def declared_needing(name: str, environment: Environment) -> tuple[str, ...]:
    """The declared Python packages that need another one, by themselves or by what they need; sorted.

    Args:
        name: the normalised name of the other.
        environment: where they are.
    """
    needs = _needs(environment.python.parent.parent / "lib")
    declared = [p.name for p in environment.packages if p.ecosystem == "python" and p.is_direct]
    return tuple(package for package in sorted(declared) if name in _reached(package, needs))


def modules_of(environment: Environment) -> Mapping[str, frozenset[str]]:
    """For each Python package of an environment, by its normalised name, the first names of its modules."""
    return _modules(environment.python.parent.parent / "lib")


@lru_cache(maxsize=32)
def _modules(library: Path) -> Mapping[str, frozenset[str]]:
    # An environment never changes once it is made, so it is looked at once.
    found: dict[str, set[str]] = {}
    for site in sorted(library.glob("python3*/site-packages")):
        for folder in sorted(site.glob(f"*{_INFO}")):
            name = normalised_name(folder.name.partition("-")[0])
            found.setdefault(name, set()).update(_top_level(folder, name))
    return {name: frozenset(modules) for name, modules in found.items()}


@lru_cache(maxsize=32)
def _needs(library: Path) -> Mapping[str, frozenset[str]]:
    """What each package needs, as far as that does not follow from an extra."""
    return {
        normalised_name(folder.name.partition("-")[0]): frozenset(
            normalised_name(match["name"])
            for match in _NEEDS.finditer(_text(folder / "METADATA"))
            if "extra" not in match["rest"]
        )
        for site in sorted(library.glob("python3*/site-packages"))
        for folder in sorted(site.glob(f"*{_INFO}"))
    }


def _reached(package: str, needs: Mapping[str, frozenset[str]]) -> frozenset[str]:
    waiting, reached = [package], set[str]()
    while waiting:
        new = needs.get(waiting.pop(), frozenset()) - reached
        reached |= new
        waiting += sorted(new)
    return frozenset(reached)


def _top_level(folder: Path, name: str) -> Iterator[str]:
    files = _text(folder / "RECORD")
    if files:
        for row in csv.reader(io.StringIO(files)):
            if row and (module := _module(row[0])):
                yield module
    listed = _text(folder / "top_level.txt")
    yield from listed.split()
    if not files and not listed:
        yield name.replace("-", "_")


def _module(path: str) -> str:
    """The first name of the module that a file of a package is, or belongs to; empty for none."""
    first, slash, _ = path.partition("/")
    if slash:
        return first if first.isidentifier() and first != "__pycache__" else ""
    stem, dot, ending = first.partition(".")
    is_module = bool(dot) and ending.rpartition(".")[2] in ("py", "so", "pyd", "pyi")
    return stem if is_module and stem.isidentifier() else ""


def _text(path: Path) -> str:
    try:
        return read_bounded(path, max_bytes=_LIST_BYTES).decode("utf-8", "replace")
    except (FileProblem, OSError):
        return ""
