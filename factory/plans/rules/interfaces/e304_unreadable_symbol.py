"""A symbol that can't be read.

## What it finds

A text in `provides` or `consumes` that is not the written form of a symbol, and a name alone of which neither
the plan nor the repository says what it is; the answer of a model must say it with each name. One of Python
names its module:

| symbol | written |
|---|---|
| function | `pkg.module:name(a: int, *, b: bool = False) -> list[str]` |
| coroutine function | `async pkg.module:name() -> None` |
| class, type alias | `pkg.module:Name` |
| constant, attribute | `pkg.module:NAME: int`, `pkg.module:Class.field: int` |
| method | `pkg.module:Class.method(self, x: int) -> str` |
| constructor | `pkg.module:Class.__init__(self, x: int) -> None`, also that of a dataclass |
| property | `@property pkg.module:Class.size(self) -> int` |
| class method | `@classmethod pkg.module:Class.parse(cls, text: str) -> Class` |
| static method | `@staticmethod pkg.module:Class.check(text: str) -> bool` |
| what a module hands on, and another symbol of that name describes | `pkg:name` |

One of another language names its file: `src/slug.ts:slugify(text: string, max?: number): string`,
`slug/slug.go:Slugify(text string) (string, error)`, `src/lib.rs:slugify(text: &str) -> String`, of a method
`slug/slug.go:Slugger.Next(text string) string`; `docs/languages.md` has all forms.

## Why it matters

A promise that can't be read can't be compared with what was written.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Count words",
      "intent": "Count words.",
      "postconditions": [{"kind": "file_exists", "path": "tally/counting.py"}],
      "allowed_files": ["tally/counting.py"],
      "acceptance_commands": ["python -m pytest -q tests"],
      "provides": ["count_words(text) in tally/counting.py"]
    }
  ]
}
```

## Fix

Write the module with dots, a colon, the name, and what belongs to its kind. Where a class is made, write its
`__init__`; where its methods are called, write each of them.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.system.terminal.console import one_line


def find(subject: Subject) -> Iterator[Finding]:
    """Tell every text that is not a symbol, with the place from where it can't be read, and names alone."""
    interfaces = subject.interfaces
    if interfaces is None:
        return
    consumed = frozenset(declared.pointer for declared in interfaces.consumed)
    for declared in (*interfaces.provided, *interfaces.consumed):
        if declared.problem is None:
            continue
        if declared.symbol is not None:
            is_told = interfaces.is_told(declared.symbol, declared.index)
            # Of what is consumed and that nobody has, E301 tells.
            if not subject.is_new if is_told else declared.pointer in consumed:
                continue
        at = (
            f", at {quote(declared.problem.where)}"
            if declared.problem.where not in ("", declared.text)
            else ""
        )
        yield Finding(
            declared.pointer,
            f"the symbol {quote(declared.text)} {declared.problem.message}{at}",
            one_line(declared.problem.hint),
        )


RULE = Rule("E304", "unreadable-symbol", Severity.ERROR, explanation=__doc__, find=find)
