"""Python syntax error in a command.

## What it finds

A `python -c` command whose code is not valid Python, also inside `env`, `bash -c` and the like. What a
shell is to put into the code (`$x`) leaves open what that will be.

## Why it matters

The command can't pass, whatever is written, so every attempt at the work order would be paid for and fail.
Usually a compound statement was put behind a semicolon, which Python does not allow, or a quote is missing.

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
      "acceptance_commands": ["python -c \\"import hello; for x in hello.ALL: print(x)\\""]
    }
  ]
}
```

## Fix

Keep the code to simple statements (`assert`, `import`, calls). A check that needs more belongs into a test
file.
"""

import re
from collections.abc import Iterator
from typing import Final

from factory.plans.commands.programs import Invocation
from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.system.terminal.console import one_line

_SUBSTITUTION: Final = re.compile(r"[$`]")


def find(subject: Subject) -> Iterator[Finding]:
    """Judge the code of every `python -c`, however it is wrapped."""
    for command in subject.commands:
        for invocation in command.reading.invocations if command.reading else ():
            if invocation.code is not None and invocation.code.problem and not _is_substituted(invocation):
                yield Finding(
                    command.pointer,
                    f"the code after -c is not valid Python: {one_line(invocation.code.problem)}",
                    "keep to simple statements, or move the check into a test file",
                )


def _is_substituted(invocation: Invocation) -> bool:
    """Whether a shell may make other code of it."""
    return invocation.in_shell and _SUBSTITUTION.search(" ".join(invocation.arguments)) is not None


RULE = Rule("E006", "python-syntax", Severity.ERROR, explanation=__doc__, find=find)
