"""A command needs a module or script that no one is sure to have made.

## What it finds

An acceptance command that runs a script (`bash scripts/x.sh`, `python tools/x.py`, `./x`), a test file or a
module (`python -m app.cli`), or imports one in `python -c`, where neither the repository nor this or an
earlier work order makes it. Python's standard library and well-known tools (pytest, pip, mypy, …) are
expected to be there. So is every allowed file of the work order itself.

## Why it matters

The command fails whatever the model writes, if the file is not made. It is only a warning, because a module
may come from an installed package.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python -m greeter.cli"]
    }
  ]
}
```

## Fix

Correct the name, let this or an earlier work order create the file and promise it in a postcondition, or
move the command to the work order that does. Ignore the warning for a package that is installed.
"""

import sys
from collections.abc import Iterable, Iterator
from typing import Final

from factory.plans.commands.needs import Needs, command_needs
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.placed import PlacedOrder
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.file_state import FileStates, Presence

KNOWN_MODULES: Final = sys.stdlib_module_names | frozenset(
    {
        "_pytest",
        "bandit",
        "black",
        "build",
        "coverage",
        "flake8",
        "hypothesis",
        "isort",
        "mypy",
        "nox",
        "pip",
        "pkg_resources",
        "pycodestyle",
        "pydocstyle",
        "pyflakes",
        "pylint",
        "pyright",
        "pytest",
        "ruff",
        "setuptools",
        "tox",
        "uv",
        "virtualenv",
        "wheel",
    }
)

_PROMISE: Final = "promise it there with a postcondition"
_MAKE: Final = (
    "correct the name, or let this or an earlier work order create it; ignore this for an installed package"
)


def find(subject: Subject) -> Iterator[Finding]:
    """Judge what each acceptance command needs by the files that are there after its work order."""
    files, plan = subject.files, subject.plan
    if files is None or plan is None:
        return
    # Where no work order promises anything, what may be written is all there is to go by.
    accepts_possible = not any(order.declares_conditions for order in plan.work_orders)
    places = {placed.index: _Place(files, placed, accepts_possible) for placed in subject.orders}
    for index, command, reading in subject.acceptance_commands:
        for message, hint in _missing(command_needs(reading), places[index]):
            yield Finding(command.pointer, message, hint)


class _Place:
    """What is there for the acceptance commands of one work order."""

    def __init__(self, files: FileStates, placed: PlacedOrder, accepts_possible: bool) -> None:
        self._files = files
        self._done = placed.index + 1
        self._own = placed.order.allowed_files
        self._accepts_possible = accepts_possible

    def best(self, paths: Iterable[str]) -> Presence:
        """What is known of the one among `paths` that is known best."""
        best = Presence.ABSENT
        for path in paths:
            presence = self._files.presence(path, self._done)
            if presence is Presence.CERTAIN or self._writes(path):
                return Presence.CERTAIN
            if presence is Presence.POSSIBLE:
                best = Presence.CERTAIN if self._accepts_possible else Presence.POSSIBLE
        return best

    def _writes(self, path: str) -> bool:
        return any(own == path or own.startswith(path + "/") for own in self._own)


def _missing(needs: Needs, place: _Place) -> Iterator[tuple[str, str]]:
    for path in needs.scripts:
        # A path outside the repository is not for a plan to make.
        if not path.startswith(("/", "../")):
            yield from _lack(f"the file {quote(path)}", place.best((path,)))
    for module in needs.modules:
        if module.name.partition(".")[0] not in KNOWN_MODULES:
            yield from _lack(f"the module {quote(module.name)}", place.best(module.files()))


def _lack(what: str, presence: Presence) -> Iterator[tuple[str, str]]:
    match presence:
        case Presence.CERTAIN:
            return
        case Presence.POSSIBLE:
            yield (
                f"the command needs {what}, which an earlier work order may write but does not promise",
                _PROMISE,
            )
        case Presence.ABSENT:
            yield f"the command needs {what}, which no work order up to this one makes", _MAKE


RULE = Rule("W101", "missing-program", Severity.WARNING, explanation=__doc__, find=find)
