"""A command needs a module or script that no one is sure to have made.

## What it finds

An acceptance command that runs a script (`bash scripts/x.sh`, `python tools/x.py`, `./x`), a test file or a
module (`python -m app.cli`), or imports one in `python -c`, where neither the repository nor this or an
earlier work order makes it. Python's standard library and well-known tools (pytest, pip, mypy, …) are
expected to be there. So is every allowed file of the work order itself. A module below a package of the
product's own is another matter: E301.

Also a program that is none of the usual ones, an option of one of pytest's plugins (as that for coverage), a
plugin itself (`-p`) and a module of Node, unless the repository says that it needs it (`pyproject.toml`,
`requirements*.txt`, `package.json` and the like).

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
move the command to the work order that does. For a package that is installed, say so in
`accepted_warnings`.
"""

import sys
from collections.abc import Collection, Iterator
from typing import Final

from factory.plans.commands.code.uses import outright
from factory.plans.commands.installed import unusual_needs
from factory.plans.commands.needs import Needs, command_needs
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.file_state import Presence
from factory.plans.states.place import Place

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

_INSTALLED: Final = "do without it, or declare it where the project says what it needs"
_PROMISE: Final = "promise it there with a postcondition"
_MAKE: Final = (
    "correct the name, or let this or an earlier work order create it; ignore this for an installed package"
)


def find(subject: Subject) -> Iterator[Finding]:
    """Judge what each acceptance command needs by the files that are there after its work order."""
    if subject.product is None:
        return
    for index, command, reading in subject.acceptance_commands:
        # What can't be there at all is an error, of another rule.
        impossible = subject.product.impossible_modules(reading, index, subject.places[index])
        for message, hint in _missing(command_needs(reading), subject.places[index], impossible):
            yield Finding(command.pointer, message, hint)
        program = outright(reading)
        for what, name in unusual_needs(program) if program is not None else ():
            is_declared = subject.sources is not None and subject.sources.declares(name)
            if not is_declared and not subject.product.files(name, index):
                yield Finding(
                    command.pointer, f"the command needs {what}, which may not be installed", _INSTALLED
                )


def _missing(needs: Needs, place: Place, impossible: Collection[str]) -> Iterator[tuple[str, str]]:
    for path in needs.scripts:
        # A path outside the repository is not for a plan to make.
        if not path.startswith(("/", "../")):
            yield from _lack(f"the file {quote(path)}", place.best((path,)))
    for module in needs.modules:
        if module.name not in impossible and module.name.partition(".")[0] not in KNOWN_MODULES:
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
