"""Where the interpreter keeps a program of ours compiled: a script it would compile at each start."""

import importlib.util
import struct
from pathlib import Path
from typing import Final

_CHECKED_BY_TIME: Final = 0
_UNSIGNED: Final = 0xFFFFFFFF


def compiled(program: Path) -> Path:
    """The compiled form that fits a program's source, for this interpreter; the source where there is none.

    The import system writes it when the program is imported as a module.
    """
    try:
        kept = Path(importlib.util.cache_from_source(str(program)))
        with kept.open("rb") as file:
            header = file.read(16)
        source = program.stat()
    except (NotImplementedError, OSError):
        return program
    stamps = struct.pack(
        "<III", _CHECKED_BY_TIME, int(source.st_mtime) & _UNSIGNED, source.st_size & _UNSIGNED
    )
    return kept if header == importlib.util.MAGIC_NUMBER + stamps else program
