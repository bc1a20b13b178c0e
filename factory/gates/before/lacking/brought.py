"""What a work order may bring: files that it may write, what commands may build, modules. Pure."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final

from factory.contract.work_order import WorkOrder
from factory.gates.check import CheckContext

_WORD: Final = re.compile(r"[^\s'\"`;&|<>()$=,\[\]{}]+")


def may_be_module(module: str, context: CheckContext, earlier: Sequence[str]) -> bool:
    """Whether a module is, or may be written or built, at one of the places that anybody names.

    A module may be built from a file of any kind, and be installed under another package's name.
    """
    parts = module.split(".")
    if any(path.segments[-1].partition(".")[0] == parts[-1] for path in context.writable):
        return True
    return any(
        _names_in_a_row(path, parts) for path in (*context.landing, *context.writable, *words(earlier))
    )


def is_named(path: str, commands: Sequence[str]) -> bool:
    """Whether one of these commands names a file, which it may build."""
    name = posixpath.basename(path)
    return any(posixpath.basename(word) == name for word in words(commands))


def is_brought(name: str, order: WorkOrder, earlier: Sequence[str]) -> bool:
    """Whether the work order may write a program, or an earlier command may build it."""
    return is_written(name, order) or ("." in name and is_named(name, earlier))


def may_write(path: str, order: WorkOrder) -> bool:
    """Whether a work order may write a file, or something below a directory."""
    return is_written(path, order) or is_written(f"{path.partition('::')[0]}/*", order)


def is_written(path: str, order: WorkOrder) -> bool:
    """Whether a work order may write a file.

    The path is as a command names it, which may run in a directory of the repository, and may be a pattern.
    """
    there = re.sub(r"^(?:\.\./)+", "", posixpath.normpath(path.partition("::")[0]))
    return any(fnmatchcase(f"/{allowed}", f"*/{there}") for allowed in order.allowed_files)


def words(commands: Iterable[str]) -> list[str]:
    """The words of commands, whichever quotes and operators stand around them."""
    return [word for command in commands for word in _WORD.findall(command)]


def _names_in_a_row(path: str, parts: list[str]) -> bool:
    names = [segment.partition(".")[0] for segment in path.split("/")]
    return any(names[start : start + len(parts)] == parts for start in range(len(names)))
