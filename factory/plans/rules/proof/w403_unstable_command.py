"""A command whose result changes by itself.

## What it finds

An acceptance command that depends on

- the time (`date`, `datetime.now()`, `time.time()`, `time.strftime` of now),
- the seed of hashes (`hash("text")`, unless hashes are compared with each other),
- the network (`curl`, `git clone` of an address, `pip install` of a name, or `pip install .`, which fetches
  what the project is built with, `urlopen` of an address on another machine),
- the locale (`setlocale`, `strftime` with names of days or months),
- the order of a set (`list(set(x)) == […]`, not `sorted(set(x)) == […]`) or of a directory's entries
  (`os.listdir`), or what else lies in the directory of temporary files,
- chance (`random.randint` without a seed, `uuid4`) or the number of the process (`os.getpid`),
- the name or the home of the user (`getpass.getuser`, `Path.home`, `expanduser`), or the machine's name,
- an environment variable that the command does not set itself (`os.environ["MODE"]`, not with `env MODE=fast
  python -c …`).

The same in `node -e`: `Date.now()`, `new Date()`, `Math.random()`, `fetch("https://…")`, `process.pid`,
`process.env.MODE`.

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

from collections.abc import Iterator

from factory.plans.commands.instability import instabilities
from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for what is not the repository's own in every acceptance command."""
    for _, command, reading in subject.acceptance_commands:
        unstable = dict.fromkeys(instabilities(reading))
        if unstable:
            yield Finding(
                command.pointer,
                f"the result of the command depends on {' and on '.join(unstable)}",
                "hand it in, sort it, or leave it out",
            )


RULE = Rule("W403", "unstable-command", Severity.WARNING, explanation=__doc__, find=find)
