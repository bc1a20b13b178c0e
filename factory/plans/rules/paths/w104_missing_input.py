"""A command reads a file that nobody makes.

## What it finds

An acceptance command that reads a file which neither the repository nor this or an earlier work order makes:
an argument of `grep`, `cat`, `test -f`, `diff` and the like, of `py_compile`, or of the product itself
(`python -m tally count samples/text.txt`), or `open("…")` and `Path("…").read_text()` in `python -c`. And a
file outside of the repository, such as `/tmp/a.json`, that no earlier command of the same work order names;
one in `/var/tmp` or `/dev/shm` is gone whoever named it, because each command has those for itself, and one
in the home of a user (`/home/…`) is never there.
Also a pattern of file names that the product is given without quotes (`python tally.py data/*.txt`): no shell
puts files in its place. One in quotes is meant for the product.

A file that the intent names, that an earlier command of the work order names, or that the command may write
itself is left alone.

## Why it matters

The command fails whatever the model writes. The commands of one work order share a `/tmp`; what those of an
earlier work order left there is gone. At the sandbox's level `landlock` there is no `/tmp` at all, so the
factory refuses such commands there: in the checkout they can hand files on at every level.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Count words",
      "intent": "Count the words of a file.",
      "postconditions": [{"kind": "file_exists", "path": "tally.py"}],
      "allowed_files": ["tally.py"],
      "acceptance_commands": ["python -c \\"from tally import count; assert count(open('a/b.txt').read())\\""]
    }
  ]
}
```

## Fix

Correct the name, let this or an earlier work order make the file, or let the command write it first. Name
the files one by one, or put a pattern that the program itself is to see into single quotes.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from factory.plans.commands.code.files import read_files
from factory.plans.commands.code.uses import outright
from factory.plans.commands.operands import patterns, possible_inputs, product_arguments, read_operands
from factory.plans.commands.programs import Invocation, Reading
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.file_state import Presence
from factory.plans.states.writers import MADE_BY_TOOLS

_SHARED: Final = "/tmp/"  # noqa: S108
_FLEETING: Final = (_SHARED, "/dev/shm/", "/var/tmp/")  # noqa: S108
_OF_USERS: Final = re.compile(r"/(?:Users|home|root)/")
"""The homes of users, of which no command finds any."""

_OF_NOBODY: Final = re.compile(
    r"/(?!(?:bin|dev|etc|lib\d*|nix|opt|proc|sbin|srv|sys|tmp|usr|var)(?:/|$))[^/]+/"
)
"""Directories at the root that no system has."""

_PATTERN: Final = re.compile(
    r"(?P<folder>(?:[\w.@-]+/)+)?(?=[^/]*[*?\[])[\w.@*?\[\]-]*?(?P<suffix>\.[A-Za-z]\w{0,4})?"
)
"""A pattern of file names, whose directory is written out."""


def find(subject: Subject) -> Iterator[Finding]:
    """Hold what each acceptance command reads against the files that are there after its work order."""
    if subject.writers is None:
        return
    texts: dict[int, list[str]] = {}
    for index, command, reading in subject.acceptance_commands:
        earlier = texts.setdefault(index, [])
        program = outright(reading)
        for path in _missing(subject, index, program, earlier, texts) if program is not None else ():
            who = "no work order up to this one makes"
            if path.startswith("/"):
                shared = path.startswith(_SHARED)
                who = "no earlier command of this work order makes" if shared else "no other command can make"
            yield Finding(
                command.pointer,
                f"the command reads {quote(path)}, which {who}",
                "correct the name, or let something make the file before",
            )
        for pattern in _unexpanded(reading, program, subject.writers.paths) if program is not None else ():
            yield Finding(
                command.pointer,
                f"the command gives the product {quote(pattern)}, which would be a list of files only in a"
                " shell",
                "name the files one by one; put a pattern that the program is to see into single quotes",
            )
        earlier.append(command.text)


def _unexpanded(reading: Reading, program: Invocation, paths: frozenset[str]) -> Iterator[str]:
    """The patterns of file names that stand without quotes among the arguments of the product."""
    given = set(product_arguments(program)) - set(patterns(program))
    for word in (word for words in reading.texts for word in words):
        # Of a word that is quoted in parts the pattern itself must not be.
        found = _PATTERN.fullmatch(word.text) if word.text in given else None
        if found is None or not any(sign in word.bare for sign in "*?["):
            continue
        folder = found["folder"] or ""
        if found["suffix"] or (folder and any(path.startswith(folder) for path in paths)):
            yield word.text


def _missing(
    subject: Subject, index: int, program: Invocation, earlier: Sequence[str], texts: dict[int, list[str]]
) -> Iterator[str]:
    tree = program.code.tree if program.code is not None else None
    certain = [*read_operands(program), *(read_files(tree) if tree is not None else ())]
    for path in dict.fromkeys([*certain, *possible_inputs(program)]):
        if path.startswith(_FLEETING):
            is_left = path in certain or any(
                path in text for before in texts for text in texts[before] if before != index
            )
            # Of the three places, commands share the first alone.
            shared = earlier if path.startswith(_SHARED) else ()
            if is_left and not any(_names(text, path) for text in shared):
                yield path
        elif (
            _OF_USERS.match(path)
            or (path in certain and _OF_NOBODY.match(path))
            or _is_lacking(subject, index, program.path(path), earlier)
        ):
            yield path


def _is_lacking(subject: Subject, index: int, path: str, earlier: Sequence[str]) -> bool:
    """Whether a file of the repository is one that nobody makes, nor is said to."""
    name = path.rpartition("/")[2]
    is_path = "/" in path or "." in name.strip(".")
    if not is_path or path.startswith(("/", "../")) or any(sign in path for sign in "*?[<>$:"):
        return False
    assert subject.writers is not None
    is_made = path.partition("/")[0] in MADE_BY_TOOLS or subject.writers.is_made_by_tools(path)
    if name.replace(".", "").isdigit() or is_made:
        return False
    if path.endswith(".py") and name.startswith(("test_", "conftest")):
        # Tests are another rule's.
        return False
    if name in subject.writers.words(index, own=True) or any(_names(text, path) for text in earlier):
        return False
    return subject.places[index].best((path,)) is Presence.ABSENT


def _names(text: str, path: str) -> bool:
    """Whether a command names a file, or a directory around it that is not everybody's."""
    if path in text:
        return True
    while (path := path.rpartition("/")[0]).strip("/") not in ("", "tmp", "var/tmp", "dev/shm"):
        if re.search(rf"(?<![\w./-]){re.escape(path)}/?(?![\w./-])", text):
            return True
    return False


RULE = Rule("W104", "missing-input", Severity.WARNING, explanation=__doc__, find=find)
