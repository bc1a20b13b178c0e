"""The value of `--limit`: how much a command may use."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from factory.contract.errors import WorkorderError
from factory.system.sandbox.policy import GIB, MIB, Resources

_BYTES: Final = re.compile(r"([0-9]{1,12})(?:([KMGT])(?:i?B)?)?", re.IGNORECASE)
_COUNT: Final = re.compile(r"[0-9]{1,9}")
_SECONDS: Final = re.compile(r"[0-9]{1,7}(?:\.[0-9]{1,3})?")
_UNITS: Final = {"": 1, "K": 1024, "M": MIB, "G": GIB, "T": 1024 * GIB}
# Less than this, and not even an interpreter starts.
_LEAST_MEMORY: Final = 64 * MIB
_LEAST_TASKS: Final = 4


def parse_limits(text: str, base: Resources | None = None) -> Resources:
    """Read limits such as `mem=2G,procs=128,file=200M,disk=512M,wall=300`.

    Args:
        text: names and values; the names are mem, procs, file, disk, files, output, cpu and wall. Sizes are
            in bytes, or in K, M, G or T of 1,024; times in seconds.
        base: what the other limits are; None for the defaults.

    Raises:
        WorkorderError: a name is unknown or stands twice, or a value is none.
    """
    changes: dict[str, Any] = {}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name not in _READERS:
            raise _problem(f"{name!r} is no limit", f"the limits are {', '.join(_READERS)}")
        field, read, least, example = _READERS[name]
        if field in changes:
            raise _problem(f"{name} stands twice", "give it once")
        number = read(value)
        if number is None:
            raise _problem(f"{value!r} is no value for {name}", f"such as {name}={example}")
        if number < least:
            smallest = f"{int(least) // MIB}M" if least >= MIB else f"{least:g}"
            raise _problem(f"{value!r} is too little for {name}", f"the least is {smallest}")
        changes[field] = number
    return replace(base or Resources(), **changes)


def _problem(message: str, hint: str) -> WorkorderError:
    return WorkorderError(message, where="--limit", hint=hint)


def _size(text: str) -> int | None:
    size = _BYTES.fullmatch(text)
    return int(size[1]) * _UNITS[(size[2] or "").upper()] if size else None


def _count(text: str) -> int | None:
    return int(text) if _COUNT.fullmatch(text) else None


def _seconds(text: str) -> float | None:
    return float(text) if _SECONDS.fullmatch(text) else None


def _whole_seconds(text: str) -> int | None:
    seconds = _seconds(text)
    return math.ceil(seconds) if seconds is not None else None


_READERS: Final[dict[str, tuple[str, Callable[[str], float | None], float, str]]] = {
    "mem": ("memory_bytes", _size, _LEAST_MEMORY, "2G"),
    "procs": ("processes", _count, _LEAST_TASKS, "128"),
    "file": ("file_bytes", _size, 1, "200M"),
    "disk": ("written_bytes", _size, 1, "512M"),
    "files": ("written_files", _count, 1, "100000"),
    "output": ("output_bytes", _size, 1, "64M"),
    "cpu": ("cpu_seconds", _whole_seconds, 1, "600"),
    "wall": ("wall_seconds", _seconds, 0.001, "300"),
}
"""For each name: the field, what reads its value, the least value, and an example."""
