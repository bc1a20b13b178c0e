"""A check that pins what later work extends.

## What it finds

In a `python -c` command, a comparison with all that there is, where a later work order may add to it: what a
module exports (`a.__all__ == […]`, `dir(a) == […]`) and a later work order writes that module; the entries of
a table (`sorted(UNITS) == […]`, `len(COMMANDS) == 3`) and one that writes the module names the table; the
files of a directory (`sorted(os.listdir("a")) == […]`) and one makes a file there, which is one that is not
there before; the text of a file, or how many lines it has, or which fields as JSON, and one writes that file;
all commands of a program (`"{count}" in` the `--help` of `python -m a` or `python a.py`) and one that changes
the program speaks of a command; or all of its help (`== "usage: …"`), and one that writes the program speaks
of a command, an option or an argument.

And a sentence of an intent that tells a test to check such a thing: "that `a.__all__` is `f` and `g` and no
more", "that `src` holds exactly `a.js`", "that `package.json` has `name` and no other field".

## Why it matters

What is asked of the later work order makes the command fail, and the tests that whoever implements the
earlier one wrote in its likeness.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Units",
      "intent": "Write the table `UNITS` with metres.",
      "postconditions": [{"kind": "file_exists", "path": "units.py"}],
      "allowed_files": ["units.py"],
      "acceptance_commands": ["python -c \\"from units import UNITS; assert sorted(UNITS) == ['m']\\""]
    },
    {
      "id": "WO-02",
      "title": "More units",
      "intent": "Add kilometres to `UNITS`.",
      "preconditions": [{"kind": "file_exists", "path": "units.py"}],
      "postconditions": [{"kind": "file_exists", "path": "units.py"}],
      "allowed_files": ["units.py"],
      "acceptance_commands": ["python -c \\"from units import UNITS; assert UNITS['km'] == 1000\\""]
    }
  ]
}
```

## Fix

Ask for what the work order adds, and let more be there: `assert 'm' in UNITS`, `{'m'} <= set(UNITS)`.
"""

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from factory.contract.work_order import WorkOrder
from factory.languages.table import language_of
from factory.languages.typescript.grammar import SUFFIXES
from factory.plans.commands.needs import Module
from factory.plans.commands.proof.pins import Pin, pins
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject

_ROOTS: Final = ("", "src")
_COMMAND: Final = re.compile(r"\b(?:sub)?commands?\b", re.IGNORECASE)
_USAGE: Final = re.compile(
    r"\b(?:(?:sub)?commands?|options?|flags?|arguments?|switch(?:es)?|help|usage)\b|(?<!\S)`?--?[a-z]",
    re.IGNORECASE,
)

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_CHECKED: Final = re.compile(r"\b(?:assert|check|test|verif)\w*", re.IGNORECASE)
_EXPORTS: Final = re.compile(
    r"`(?P<module>[\w.]+)\.__all__`(?=[^;]*\b(?:exactly|no more|no others?|nothing else|only)\b)"
)
_LISTED: Final = re.compile(
    r"`(?P<folder>[\w./-]*?[\w-])/?`\s+(?:contains|has|holds|lists)\s+(?:exactly|nothing but|only)\b"
)
_HELP: Final = re.compile(
    r"\bpython3? -m (?P<module>[\w.]+)(?: [\w.-]+)* (?:--help|-h)\b.*\{[\w-]+(?:,[\w-]+)+\}"
)
"""The help of a program, and in it all of its commands."""

_HELD: Final = re.compile(
    r"`(?P<file>[\w./-]*\w\.(?P<suffix>[A-Za-z]\w{0,4}))`\s+(?P<exports>exports|offers|has|holds|contains|lists)\b"
    r"(?=[^;]*\b(?:exactly|nothing but|nothing else|no more|no others?|only)\b)"
)
"""What the tests of a sentence are to hold to be all."""


def find(subject: Subject) -> Iterator[Finding]:
    """Look for a later work order that may add to what a command or a test holds to be all."""
    for index, command, reading in subject.acceptance_commands:
        codes = [invocation.code for invocation in reading.invocations if invocation.code is not None]
        helped = _HELP.search(command.text) if not codes else None
        shell = [Pin(helped["module"], "--help")] if helped is not None else []
        for pin in dict.fromkeys([*(pin for code in codes for pin in pins(code)), *shell]):
            yield from _found(subject, index, pin, command.pointer, "command")
    for placed in subject.orders:
        for pin in dict.fromkeys(_told(placed.order.intent)):
            yield from _found(subject, placed.index, pin, f"{placed.pointer}/intent", "intent")


def _found(subject: Subject, index: int, pin: Pin, pointer: str, what: str) -> Iterator[Finding]:
    later = [placed.order for placed in subject.orders if placed.index > index]
    earlier = [placed.order.allowed_files for placed in subject.orders if placed.index <= index]
    there = subject.repo_files.union(*earlier)
    extending = next((order for order in later if _extends(order, pin, there)), None)
    if extending is not None:
        yield Finding(
            pointer,
            f"the {what} holds {_words(pin)} to be all, and {extending.id} may add to it",
            "ask for what is added here, and let more be there, such as by `in` or `<=`",
        )


def _told(intent: str) -> Iterator[Pin]:
    """What tests are told to hold to be all there is."""
    for sentence in _SENTENCE.split(intent):
        if not _CHECKED.search(sentence):
            continue
        helped = _HELP.search(sentence)
        if helped is not None:
            yield Pin(helped["module"], "--help")
        yield from (Pin(found["module"], "__all__") for found in _EXPORTS.finditer(sentence))
        yield from (Pin(directory=found["folder"]) for found in _LISTED.finditer(sentence))
        for found in _HELD.finditer(sentence):
            is_module = f".{found['suffix']}" in SUFFIXES
            yield Pin(f"./{found['file']}", "__all__") if is_module else Pin(file=found["file"])


def _extends(order: WorkOrder, pin: Pin, there: frozenset[str]) -> bool:
    """Whether a work order may add to what is pinned.

    Args:
        order: the work order.
        pin: what an earlier one holds to be all.
        there: the files that may be there then.
    """
    if pin.file:
        return pin.file in order.allowed_files
    if pin.directory:
        made = {condition.path for condition in order.preconditions if condition.kind == "file_absent"}
        return any(
            (posixpath.dirname(path) or ".") == pin.directory
            for path in order.allowed_files
            if path in made or path not in there
        )
    module = Module(pin.module, False, _ROOTS)
    files = {path for path in module.files() if language_of(path) is not None}
    said = f"{order.title}\n{order.intent}\n{order.notes or ''}"
    if pin.name == "--help":
        roots = () if pin.script else tuple(f"{root}/" for root in module.files())
        files = {pin.script} if pin.script else files
        inside = any(path.startswith(roots) for path in order.allowed_files)
        if pin.is_whole:
            return (inside or not files.isdisjoint(order.allowed_files)) and bool(_USAGE.search(said))
        changed = {condition.path for condition in order.preconditions if condition.kind == "file_exists"}
        is_changed = not changed.isdisjoint(order.allowed_files)
        return (
            (inside or not files.isdisjoint(order.allowed_files))
            and is_changed
            and bool(_COMMAND.search(said))
        )
    files.update(f"{path.removesuffix('.py')}/__init__.py" for path in tuple(files))
    if files.isdisjoint(order.allowed_files):
        return False
    return pin.name == "__all__" or re.search(rf"\b{re.escape(pin.name)}\b", said) is not None


def _words(pin: Pin) -> str:
    if pin.file:
        return f"the text of {quote(pin.file)}"
    if pin.directory:
        return f"the files in {quote(pin.directory)}"
    if pin.name == "--help":
        return f"the {'help' if pin.is_whole else 'commands'} of {quote(pin.script or pin.module)}"
    return f"what {quote(pin.module)} has in {quote(pin.name)}"


RULE = Rule("W411", "pinned", Severity.WARNING, explanation=__doc__, find=find)
