"""A command whose result changes by itself.

## What it finds

An acceptance command that depends on

- the time (`date`, `datetime.now()`, `time.time()`, `time.strftime` of now),
- the seed of hashes (`hash("text")`, unless hashes are compared with each other),
- the network (`curl`, `git clone` of an address, `pip install` of a name, or `pip install .`, which fetches
  what the project is built with, `urlopen` of an address on another machine),
- the locale (`setlocale`, `strftime` with names of days or months),
- the order of a set (`list(set(x)) == […]`, or texts of a set that are expected in a row; not
  `sorted(set(x)) == […]`) or of a directory's entries
  (`os.listdir`), or what else lies in the directory of temporary files,
- chance (`random.randint` without a seed, `uuid4`) or the number of the process (`os.getpid`),
- the name or the home of the user (`getpass.getuser`, `Path.home`, `expanduser`), or the machine's name,
- an environment variable that the command does not set itself (`os.environ["MODE"]`, not with `env MODE=fast
  python -c …`).

The same in `node -e`: `Date.now()`, `new Date()`, `Math.random()`, `fetch("https://…")`, `process.pid`,
`process.env.MODE`. And a sentence of an intent that has tests ask another machine ("the test fetches
`https://…`").

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

Hand the moment or the seed to the code as an argument, set variables with `env`, compare sorted lists or the
sets themselves, and test what talks to a server with one that the test starts on this machine.
"""

import re
from collections.abc import Iterator
from typing import Final

from factory.plans.commands.addresses import is_far
from factory.plans.commands.instability import instabilities
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_TESTED: Final = re.compile(r"\b(?:check|test|verif)\w*", re.IGNORECASE)
_ASKING: Final = re.compile(r"\b(?:connect|download|fetch|request|urlopen|visit)\w*", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"https?://[^\s`'\"),;]+")


def find(subject: Subject) -> Iterator[Finding]:
    """Look for what is not the repository's own in acceptance commands, and for tests of other machines."""
    for placed in subject.orders:
        for sentence in _SENTENCE.split(placed.order.intent):
            asked = _ADDRESS.search(sentence)
            is_asked = _TESTED.search(sentence) and _ASKING.search(sentence)
            if asked is not None and is_asked and is_far(asked[0]):
                yield Finding(
                    f"{placed.pointer}/intent",
                    f"tests are to ask {quote(asked[0])}, and what they find there may change",
                    "let the tests start a server on this machine, or hand in what it would answer",
                )
    for _, command, reading in subject.acceptance_commands:
        unstable = dict.fromkeys(instabilities(reading))
        if unstable:
            yield Finding(
                command.pointer,
                f"the result of the command depends on {' and on '.join(unstable)}",
                "hand it in, sort it, or leave it out",
            )


RULE = Rule("W403", "unstable-command", Severity.WARNING, explanation=__doc__, find=find)
