"""A symbol that is consumed with another signature than it is provided with.

## What it finds

A symbol in `consumes` whose parameters, result, kind or type differ from those in the `provides` of the last
earlier work order that provides it, or from those in the repository. What the consumer leaves open, an
annotation or `...` for a default value, is no difference: its implementer is shown what the repository has by
then. Spellings of one type are the same: `Optional[int]` and `int | None`, `List[str]` and
`list[str]`, `pathlib.Path` and `Path`, with quotes and without.

Also a call in a `python -c` command whose arguments the function, class or method can't take: too many, one
that it does not know, or one too few.

## Why it matters

The consumer's implementer writes calls that the provider's code refuses. Both kept their contracts, and
verification fails all the same, in the later work order, where it can't be repaired.

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
      "provides": ["tally.counting:count_words(text: str) -> dict[str, int]"]
    },
    {
      "id": "WO-02",
      "title": "Print the count",
      "intent": "Print how many words a file holds.",
      "postconditions": [{"kind": "file_exists", "path": "tally/report.py"}],
      "allowed_files": ["tally/report.py"],
      "acceptance_commands": ["python -m pytest -q tests"],
      "consumes": ["tally.counting:count_words(lines: list[str]) -> dict[str, int]"]
    }
  ]
}
```

## Fix

Copy the provider's line, or correct the provider. A work order that is to change a symbol lists it as it was
in `consumes`, and as it shall be in `provides`.
"""

from collections.abc import Iterator

from factory.languages.table import keeps
from factory.plans.commands.code.uses import outright, uses
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject

_HINT = "use one signature in both places, word for word"


def find(subject: Subject) -> Iterator[Finding]:
    """Compare each consumed symbol with what is there before its work order."""
    interfaces = subject.interfaces
    for wanted in interfaces.consumed if interfaces is not None else ():
        if interfaces is None or wanted.symbol is None:
            continue
        symbol = wanted.symbol
        provider = interfaces.provider(symbol, wanted.index)
        if provider is not None:
            provided = provider.symbol
            if provided is not None and not keeps(provided, symbol):
                name = subject.order_name(provider.pointer)
                yield Finding(
                    wanted.pointer,
                    f"consumes {quote(symbol.text)}, but {name} provides {quote(provided.text)}",
                    _HINT,
                )
        elif not interfaces.provides_member(symbol, wanted.index):
            lookup = interfaces.in_repository(symbol, wanted.index)
            if lookup.symbols and not any(keeps(defined, symbol) for defined in lookup.symbols):
                yield Finding(
                    wanted.pointer,
                    f"consumes {quote(symbol.text)}, but the repository has {quote(lookup.symbols[-1].text)}",
                    _HINT,
                )
    yield from _in_commands(subject)


def _in_commands(subject: Subject) -> Iterator[Finding]:
    product = subject.product
    if product is None:
        return
    for index, command, reading in subject.acceptance_commands:
        program = outright(reading)
        for use in uses(program) if program is not None else ():
            problem, symbol = product.misfit(use, index)
            if problem and symbol is not None:
                yield Finding(
                    command.pointer,
                    f"the command calls {quote(symbol.text)} and {problem}",
                    "call it as it is provided",
                )


RULE = Rule("E302", "other-signature", Severity.ERROR, explanation=__doc__, find=find)
