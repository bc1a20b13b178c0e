"""Misquoted.

## What it finds

A quote of a requirement that is not in the specification. White space, line breaks and the markers of list
items don't matter, nor do the Unicode form of a letter, curly quotation marks and the kinds of hyphens and
dashes; letter case, punctuation and Markdown's other signs do. A quote is made of whole words.

Of a specification that names its requirements (YAML or JSON), also a requirement whose quotes leave out words
of the text that the specification has under its id.

Needs the specification: `planner compile`, or `planner check --spec`.

## Why it matters

A quote ties a requirement to the lines it comes from. One that is not there is a requirement that nobody
asked for, or one whose meaning was changed on the way.

## Example

Of the specification

```markdown
- It prints the words in the order of the alphabet.
```

the plan

```json
{
  "requirements": [
    {
      "id": "REQ-01",
      "text": "Words are sorted.",
      "quotes": ["It prints the words in the order of the alphabet.", "Upper case comes first."]
    }
  ],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Sort",
      "intent": "Print the words in the order of the alphabet.",
      "preconditions": [{"kind": "file_absent", "path": "words.py"}],
      "postconditions": [{"kind": "file_exists", "path": "words.py"}],
      "allowed_files": ["words.py"],
      "acceptance_commands": ["python words.py"],
      "requirements": ["REQ-01"]
    }
  ]
}
```

## Fix

Copy the passage word for word; the hint names the nearest one. Drop a requirement that the specification does
not ask for. If the specification has changed, the plan is for another one.
"""

import re
from collections.abc import Iterator
from typing import Final

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.manifest import MAX_QUOTES
from factory.plans.rules.placed import PlacedRequirement
from factory.plans.rules.rule import Finding, Rule
from planner.rules.subject import Subject
from planner.specification.spec import Spec

_COPIED_CHARS: Final = 400
_NAMES_LINES: Final = re.compile(r"\s*L[0-9]+(?:-|:|\s*$)")
_MOST_SOUGHT: Final = 50
"""For how many quotes the nearest passage is looked for."""


def find(subject: Subject) -> Iterator[Finding]:
    """Look for each quote in the specification."""
    if subject.spec is None:
        return
    looked = missing = 0
    for placed in subject.requirements:
        for position, text in enumerate(placed.requirement.quotes):
            pointer = f"{placed.pointer}/quotes/{position}"
            looked += 1
            if looked > MAX_QUOTES:
                yield Finding(
                    pointer, f"the plan has more than {MAX_QUOTES:,} quotes", "quote whole passages"
                )
                return
            if not subject.spec.lines.places(text):
                missing += 1
                yield Finding(
                    pointer, f"{quote(text)} is not in the specification", _hint(subject.spec, text, missing)
                )
        yield from _left_out(subject.spec, placed)


def _hint(spec: Spec, text: str, number: int) -> str:
    if _NAMES_LINES.match(text):
        last = spec.outline.units[-1].last if spec.outline.units else 0
        return f"there are the lines L1 to L{last}; name those that say something, and words that stand there"
    near = spec.lines.nearest(text) if number <= _MOST_SOUGHT else None
    if near is None:
        return "copy a passage word for word, or drop what the specification does not say"
    # To be copied: what is cut off are whole words.
    text = near.text if len(near.text) <= _COPIED_CHARS else near.text[:_COPIED_CHARS].rpartition(" ")[0]
    return f"copy it word for word; the nearest passage is line {near.first}: {quote(text, _COPIED_CHARS)}"


def _left_out(spec: Spec, placed: PlacedRequirement) -> Iterator[Finding]:
    given = spec.passages.get(placed.requirement.id)
    if given is not None and not set(given.words) <= spec.lines.held(placed.requirement.quotes):
        yield Finding(
            f"{placed.pointer}/quotes",
            f"the quotes leave out a part of what the specification says under {placed.requirement.id}",
            f"quote all of line {given.first}: {quote(given.text, _COPIED_CHARS)}",
        )


RULE = Rule("E201", "misquoted", Severity.ERROR, explanation=__doc__, find=find)
