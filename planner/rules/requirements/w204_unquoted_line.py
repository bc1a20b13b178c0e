"""A line of the specification that nobody quotes.

## What it finds

A normative line of the specification of which no requirement quotes at least half of the words: a list item,
or a sentence of running text or of a table with must, shall, should, will or may not, or with an imperative
("Print the sum."). Several sentences on one line, and in one list item, are judged one by one. A heading
counts as text if it ends with a full stop or holds an id such as REQ-7.

Not normative are front matter, other headings, code blocks, the heads of tables, quotations, comments,
questions, lines that introduce a list with a colon, and sections on what is not asked for (non-goals, out of
scope, future work) or why and for whom (background, motivation, personas, milestones, risks, glossary,
references, history). The analysis goes by words and understands English only. It overlooks what is said in
other ways, and what it finds deserves a look.

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

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from planner.rules.subject import Subject
from planner.specification.lines import is_covered


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each normative passage by the words that are quoted."""
    if subject.spec is None or subject.spec.given or not subject.requirements:
        return
    lines = subject.spec.lines
    quoted = lines.covered(subject.quotes)
    for passage in lines.normative:
        if not is_covered(passage, quoted):
            partly = any(index in quoted for index in passage.words)
            yield Finding(
                "/requirements",
                f"line {passage.first} of the specification is {'hardly' if partly else 'not'} quoted by any"
                f" requirement: {quote(passage.text)}",
                "quote it in the requirement that it belongs to, or add one; leave it if it asks for nothing",
            )


RULE = Rule("W204", "unquoted-line", Severity.WARNING, explanation=__doc__, find=find)
