"""A changed requirement that nothing new takes.

## What it finds

A requirement whose passage in the specification has changed, or that now quotes a line that is new there, and
that no new or changed work order of the revised plan takes.

Only in `planner revise` with a specification.

## Why it matters

The work orders of the plan before were written for what the specification said then. What it says now would
not be built, and nothing would tell.

## Example

Of the plan

```json before
{
  "requirements": [{"id": "REQ-01", "text": "It greets.", "quotes": ["It says hello."]}],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print hello.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"],
      "requirements": ["REQ-01"]
    }
  ]
}
```

of which WO-01 has landed, and the changed specification

```markdown
- It says good morning.
```

the revision

```json
{
  "requirements": [{"id": "REQ-01", "text": "It greets.", "quotes": ["It says good morning."]}],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print hello.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"],
      "requirements": ["REQ-01"]
    }
  ]
}
```

## Fix

Change the work order that takes the requirement if it has not landed. If it has, add one after the last that
takes it, too: with the files that it changes, preconditions that say that they exist, and a check of what is
new.
"""

from collections.abc import Collection, Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from planner.revision.amendment import content
from planner.revision.impact import Impact
from planner.rules.subject import Subject
from planner.specification.spec import Spec


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each changed requirement by the work orders that were not there before."""
    amendment = subject.amendment
    if amendment is None or amendment.impact is None:
        return
    known = set(amendment.contents)
    taken = {
        name
        for placed in subject.orders
        if content(placed.order) not in known
        for name in placed.order.requirements
    }
    before = {
        requirement.id: requirement.quotes
        for requirement in amendment.before.requirements
        if not requirement.withdrawn
    }
    quotes = frozenset(subject.quotes)
    for placed in subject.requirements:
        name = placed.requirement.id
        if name in taken:
            continue
        fresh = quotes.intersection(placed.requirement.quotes).difference(before.get(name, ()))
        if name in amendment.impact.dirty_requirements:
            changed = f"the specification says something else of {quote(name)} than before"
        elif (line := _new_line(subject.spec, amendment.impact, fresh)) is not None:
            changed = f"{quote(name)} quotes line {line} of the specification, which is new"
        else:
            continue
        yield Finding(
            placed.pointer,
            f"{changed}, and no new or changed work order takes it",
            "change the work order that takes it, or, if that has landed, add one after the last",
        )


def _new_line(spec: Spec | None, impact: Impact, quotes: Collection[str]) -> int | None:
    """The first new line of a specification that any of the quotes stands in."""
    words = frozenset() if spec is None else spec.lines.covered(quotes)
    return next((line.first for line in impact.new_lines if not words.isdisjoint(line.words)), None)


RULE = Rule("E208", "change-not-taken", Severity.ERROR, explanation=__doc__, find=find)
