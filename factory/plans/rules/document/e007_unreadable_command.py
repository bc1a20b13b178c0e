"""A command that can't be read.

## What it finds

A command that is empty, that can't be split into words because a quotation has no end, that names no
program, that holds a NUL character, or whose inner text for a shell can't be split. Programs wrapped in each
other more than ten times count as unreadable, too.

## Why it matters

Commands are split into words as a POSIX shell would do it, and the first word is the program. Without words
nothing can be started.

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
      "acceptance_commands": ["python -c \\"import hello"]
    }
  ]
}
```

## Fix

Close every quotation. An apostrophe inside a text needs double quotes around it: `"it's"`.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.placed import PlacedCommand
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.system.terminal.console import one_line


def find(subject: Subject) -> Iterator[Finding]:
    """Judge whether each command has words, the first of which can be a program."""
    for command in subject.commands:
        problem = _problem(command)
        if problem:
            yield Finding(
                command.pointer,
                problem,
                "write a program and its arguments, and close every quotation",
            )


def _problem(command: PlacedCommand) -> str:
    if not command.text.strip():
        return "the command is empty"
    if "\0" in command.text:
        return "the command holds a NUL character, which no program can be given"
    if command.problem:
        return f"the command {one_line(command.problem)}"
    if command.reading is not None and not _first_word(command):
        return "the command names no program: its first word is empty"
    return ""


def _first_word(command: PlacedCommand) -> str:
    words = command.reading.texts[0] if command.reading else ()
    return words[0].text if words else ""


RULE = Rule("E007", "unreadable-command", Severity.ERROR, explanation=__doc__, find=find)
