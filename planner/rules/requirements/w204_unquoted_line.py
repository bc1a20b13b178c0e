"""A line of the specification that nobody quotes.

## What it finds

A normative line of the specification of which no requirement quotes at least half of the words: a list item,
or a sentence of running text or of a table with must, shall, should, will or may not, or with an imperative
("Print the sum."). Also three words or more in a row of a line whose other words are quoted, such as what
follows a semicolon or "unless", if the work orders that take the others don't say them either. Several
sentences on one line, and in one list item, are judged one by one. A heading counts as text if it ends with a
full stop or holds an id such as REQ-7.

Not normative are sentences with two words that say something, one of which is quoted elsewhere, front matter,
other headings, code blocks, the heads of tables, quotations, comments, questions, lines that introduce a list
with a colon, and sections on what is not asked for (non-goals, not asked for, out of scope, future work,
later) or why and for whom (background, motivation, personas, milestones, risks, glossary, references,
history). The analysis goes by words and understands English only. It overlooks what is said in other ways,
and what it finds deserves a look.

Needs the specification: `planner compile`, or `planner check --spec`. Silent for a plan without requirements,
and for a specification that names its requirements (YAML or JSON): E201 and E203 watch over those.

## Why it matters

What no requirement quotes, no work order takes, no check proves, and no change of the specification finds.

## Example

Of the specification

```markdown
- It prints the words in the order of the alphabet.
- A word that occurs twice is printed once.
```

the plan

```json
{
  "requirements": [
    {"id": "REQ-01", "text": "Sorted.", "quotes": ["It prints the words in the order of the alphabet."]}
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

Quote the line in the requirement that it belongs to, or add a requirement. If it asks for nothing, leave it,
or say it in the specification in a way that asks for nothing.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby
from typing import Final

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.requirements.mentions import beginnings, mentioned
from factory.plans.rules.rule import Finding, Rule
from factory.specification.labels import without_label
from factory.specification.quotations import Passage
from planner.rules.subject import Subject
from planner.specification.lines import SpecLines, is_covered

_HINT: Final = "quote it in the requirement that it belongs to, or add one; leave it if it asks for nothing"
_SHORT: Final = 2
"""How many words that say something a sentence may have that only introduces others."""

_WORDS_LEFT_OUT: Final = 3
_FEWEST: Final = 2
"""How many words that say something must be left out."""

_ASIDE: Final = re.compile(
    r"\W*(?:because|e\.g\.|for (?:example|instance)|i\.e\.|see|since|so that|such as|that is)\b",
    re.IGNORECASE,
)
"""How what asks for nothing begins."""


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each normative passage by the words that are quoted."""
    if subject.spec is None or subject.spec.given or not subject.requirements:
        return
    lines = subject.spec.lines
    quoted = lines.covered(subject.quotes)
    takers = _Takers(subject, lines)
    said_elsewhere = beginnings(" ".join(subject.quotes))
    for passage in lines.normative:
        if not is_covered(passage, quoted):
            # An id before a sentence (`R7. It prints …`) asks for nothing by itself.
            if not without_label(passage.text) or _sums_up(passage.text, said_elsewhere):
                continue
            partly = any(index in quoted for index in passage.words)
            yield Finding(
                "/requirements",
                f"line {passage.first} of the specification is {'hardly' if partly else 'not'} quoted by any"
                f" requirement: {quote(passage.text)}",
                _HINT,
            )
            continue
        for rest in _rests(passage, quoted):
            said = lines.words.passage(rest)
            wanted = beginnings(said.text)
            if len(wanted) < _FEWEST or _ASIDE.match(said.text):
                continue
            if 2 * len(wanted & takers.mention(passage)) <= len(wanted):
                yield Finding(
                    "/requirements",
                    f"line {said.first} of the specification is not quoted whole, and none of the work"
                    f" orders that take the rest says {quote(said.text)}",
                    _HINT,
                )


def _sums_up(text: str, quoted: frozenset[str]) -> bool:
    """Whether a short sentence says little beside what is quoted elsewhere: it introduces the rest."""
    said = beginnings(text)
    return len(said) <= _SHORT and 2 * len(said & quoted) >= len(said)


class _Takers:
    """The work orders that take what is quoted of a passage."""

    def __init__(self, subject: Subject, lines: SpecLines) -> None:
        self._subject = subject
        self._lines = lines

    def mention(self, passage: Passage) -> frozenset[str]:
        """The beginnings of the words that they mention."""
        names = {name for name, covered in self._covered if not covered.isdisjoint(passage.words)}
        indices = {index for name in names for index in self._subject.taken.get(name, ())}
        said = (self._said[index] for index in sorted(indices) if index in self._said)
        return frozenset[str]().union(*said)

    @cached_property
    def _covered(self) -> list[tuple[str, frozenset[int]]]:
        return [
            (placed.requirement.id, self._lines.covered(placed.requirement.quotes))
            for placed in self._subject.requirements
        ]

    @cached_property
    def _said(self) -> dict[int, frozenset[str]]:
        return {placed.index: mentioned(placed.order) for placed in self._subject.orders}


def _rests(passage: Passage, quoted: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """The words of a passage that are not quoted, in runs."""
    for is_quoted, run in groupby(passage.words, key=quoted.__contains__):
        rest = tuple(run)
        if not is_quoted and len(rest) >= _WORDS_LEFT_OUT:
            yield rest


RULE = Rule("W204", "unquoted-line", Severity.WARNING, explanation=__doc__, find=find)
