"""A command whose result changes by itself.

## What it finds

An acceptance command that depends on the time (`date`, `datetime.now()`, `time.time()`), on the network
(`curl`, `git clone` of an address, `pip install` of a name, `urlopen` of an address on another machine), on
the locale (`setlocale`, `strftime` with names of days or months), on the order of a set (`list(set(x)) ==
[…]`, not `sorted(set(x)) == […]`) or of a directory's entries (`os.listdir`).

## Why it matters

It passes today and fails tomorrow, or passes here and fails there, and an attempt that was right is thrown
away. Commands run without network.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Find names",
      "intent": "Find the names in a text.",
      "postconditions": [{"kind": "file_exists", "path": "names.py"}],
      "allowed_files": ["names.py"],
      "acceptance_commands": ["python -c \\"from names import *; assert list(set(find('a b'))) == ['b']\\""]
    }
  ]
}
```

## Fix

Hand the moment to the code as an argument, compare sorted lists or the sets themselves, and test what talks
to a server with one that the test starts on this machine.
"""

from collections.abc import Iterator

from factory.plans.commands.instability import instabilities
from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for what is not the repository's own in every acceptance command."""
    for _, command, reading in subject.acceptance_commands:
        unstable = dict.fromkeys(
            what for invocation in reading.invocations for what in instabilities(invocation)
        )
        if unstable:
            yield Finding(
                command.pointer,
                f"the result of the command depends on {' and on '.join(unstable)}",
                "hand it in, sort it, or leave it out",
            )


RULE = Rule("W403", "unstable-command", Severity.WARNING, explanation=__doc__, find=find)
