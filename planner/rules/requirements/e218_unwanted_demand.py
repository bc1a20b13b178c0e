"""A demand for what is not wanted.

## What it finds

A requirement all of whose quotes stand where the specification says what it does not ask for: in a section
such as "Non-goals", "Not wanted" or "Out of scope", or in a list that is introduced so. A requirement that
says that something is not to be ("no colours", "never converts") is left alone.

Needs the specification: `planner compile`, or `planner check --spec`.

## Why it matters

Read out of their section, "Colours in the output." and "Colours in the output are printed." ask for the same.
The product would do what its owner has ruled out.

## Example

Of the specification

```markdown
It prints the words of a file.

Not wanted:

- Colours in the output.
```

the plan

```json
{
  "requirements": [
    {"id": "REQ-01", "text": "Words.", "quotes": ["It prints the words of a file."]},
    {"id": "REQ-02", "text": "Colours in the output.", "quotes": ["Colours in the output."]}
  ],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Words",
      "intent": "Print the words of a file, in colours.",
      "preconditions": [{"kind": "file_absent", "path": "words.py"}],
      "postconditions": [{"kind": "file_exists", "path": "words.py"}],
      "allowed_files": ["words.py"],
      "acceptance_commands": ["python words.py"],
      "requirements": ["REQ-01", "REQ-02"]
    }
  ]
}
```

## Fix

Drop the requirement and what was planned for it. If it is meant that the product does not do it, say so in
its text: "no colours in the output".
"""

import re
from collections.abc import Iterator
from typing import Final

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from planner.rules.subject import Subject
from planner.specification.blocks import unwanted_lines

_NEGATION: Final = re.compile(
    r"\b(?:no|not|never|none|neither|nor|nothing|without|instead|only|avoid\w*|exclud\w+|forbid\w*|forbidden"
    r"|ignor\w+|omit\w*|refus\w+|reject\w*|unsupported|out of scope)\b|n['\u2019]t\b",
    re.IGNORECASE,
)


def find(subject: Subject) -> Iterator[Finding]:
    """Look where the quotes of each requirement stand."""
    if subject.spec is None or subject.spec.given:
        return
    unwanted = unwanted_lines(subject.spec.text)
    if not unwanted:
        return
    for placed in subject.requirements:
        quotes = placed.requirement.quotes
        lines = [subject.spec.lines.lines(text) for text in quotes]
        is_unwanted = all(numbers and unwanted.issuperset(numbers) for numbers in lines)
        if quotes and is_unwanted and not _NEGATION.search(placed.requirement.text):
            yield Finding(
                placed.pointer,
                f"line {lines[0][0]} of the specification says what is not asked for: {quote(quotes[0])}",
                "drop the requirement, or say in its text that the product does not do this",
            )


RULE = Rule("E218", "unwanted-demand", Severity.ERROR, explanation=__doc__, find=find)
