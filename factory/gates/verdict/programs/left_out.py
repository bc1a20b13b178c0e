"""Which file of the project keeps a test from running: what raised that, or the class that is marked so."""

import os
import sys
from typing import Any


def skipping_file(error: "BaseException | None", kind: "type | None", here: str) -> str:
    """The file of the project, relative to `here`, that has a test skipped; empty if that can't be told.

    Args:
        error: what was raised, in the place of what else.
        kind: the test's class.
        here: where the command runs.
    """
    here = os.path.realpath(here)
    seen: list[BaseException] = []
    file = ""
    while error is not None and error not in seen and not file:
        seen.append(error)
        trace = error.__traceback__
        while trace is not None:
            file = _inside(trace.tb_frame.f_code.co_filename, here) or file
            trace = trace.tb_next
        error = error.__context__
    for owner in kind.__mro__ if kind is not None and not file else ():
        if _is_marked(vars(owner)):
            module: Any = sys.modules.get(owner.__module__)
            file = file or _inside(getattr(module, "__file__", None) or "", here)
    return file


def _is_marked(names: "Any") -> bool:
    marks = names.get("pytestmark", ())
    marks = marks if isinstance(marks, (list, tuple)) else [marks]
    skipping = any(getattr(mark, "name", "") in ("skip", "skipif", "xfail") for mark in marks)
    return skipping or "__unittest_skip__" in names


def _inside(file: str, here: str) -> str:
    """A file below `here` that is in no installed package, relative to it; empty for another one."""
    inside = os.path.relpath(os.path.realpath(file), here)
    parts = inside.split(os.sep)
    return inside if file and parts[0] != ".." and "site-packages" not in parts else ""
