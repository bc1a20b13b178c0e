"""What Python says that it lacks: valid code in the command, a module."""

import re
from collections.abc import Sequence
from typing import Final

from factory.contract.work_order import WorkOrder
from factory.gates.before.lacking.brought import may_be_module
from factory.gates.check import CheckContext, CommandResult

_NO_IMPORT: Final = re.compile(
    r"Traceback \(most recent call last\):\n"
    r'  File "<string>", line \d+, in <module>\n(?:    .*\n)*'
    r"ModuleNotFoundError: No module named '(?P<module>[\w.]+)'(?:; .*)?"
)
"""What is left of an import that stands in the command itself, not in a module that it imports."""

_NO_MODULE_TO_RUN: Final = re.compile(
    r"(?:.*/)?(?:python|pypy)[\d.]*: No module named (?P<module>[\w.]+)(?:; .*)?"
)

_NO_PYTHON: Final = re.compile(
    r"""File "<string>", line \d+\n(?:.*\n)*(?P<error>(?:Syntax|Indentation|Tab)Error: .*)"""
)
"""What is left of code in the command that Python can't read. Of other code it gives a traceback."""


def lacking_for_python(
    result: CommandResult, order: WorkOrder, context: CheckContext, earlier: Sequence[str]
) -> str:
    """What Python lacks that nobody can bring; empty if nothing. See `reasons.lacking`."""
    printed = result.excerpt.strip()
    unreadable = _NO_PYTHON.fullmatch(printed)
    if unreadable is not None:
        return f"its code is not valid Python: {unreadable['error']}"
    imported, run = _NO_IMPORT.fullmatch(printed), _NO_MODULE_TO_RUN.fullmatch(printed)
    missing = imported or run
    if missing is None or may_be_module(missing["module"], context, earlier):
        return ""
    # Of a module that is run, a package that is not there at all is told elsewhere: it may be a tool.
    if run is not None and not may_be_module(missing["module"].partition(".")[0], context, earlier):
        return ""
    verb = "imports" if run is None else "runs"
    return f"it {verb} `{missing['module']}`, which is not installed and which the work order can't write"
