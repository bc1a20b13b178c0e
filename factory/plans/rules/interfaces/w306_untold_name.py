"""A command that needs a name which nobody was told of.

## What it finds

In an acceptance command, a name of a module that its own work order may write, and that stands neither in
`provides` nor in the intent or notes: a function, a class, a constant, a member of a class whose members
are provided. What a function gives, or the elements of it, are of the class that its provided signature
names, and the error that `pytest.raises(E)` catches is an `E`: `[e.text for e in read("a")]` looks up
`Entry.text`. Where three or more members are provided, a further one counts as told only where it is
written as code: in backticks, behind a dot, or called. Only where the module is known otherwise, by
`provides` or by the repository; a module of which nothing is promised is open.

In the same way a test (`tests/test_a.py::test_b`) in a file that only earlier work orders may write, none
of which was told of it.

## Why it matters

The command fails as long as the name is not there. Who writes the module is held to `provides`, and finds the
name in a command alone, if at all; who wrote the test file before can't have known how this plan calls it.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Count words",
      "intent": "Count words.",
      "postconditions": [{"kind": "file_exists", "path": "tally.py"}],
      "allowed_files": ["tally.py"],
      "acceptance_commands": ["python -c \\"from tally import count_lines; assert count_lines('a') == 1\\""],
      "provides": ["tally:count_words(text: str) -> dict[str, int]"]
    }
  ]
}
```

## Fix

Add the name to `provides`, describe it in the intent, or use one that is there. Name the test in the work
order that writes its file, or run the whole file.
"""

from collections.abc import Iterator

from factory.plans.commands.code.uses import outright, uses
from factory.plans.commands.tests import chosen_words, named_tests
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.writers import Knowledge


def find(subject: Subject) -> Iterator[Finding]:
    """Look up the names and tests that each acceptance command needs outright."""
    product = subject.product
    if product is None:
        return
    for index, command, reading in subject.acceptance_commands:
        program = outright(reading)
        looked_up = [product.knowledge(use, index) for use in uses(program)] if program is not None else []
        for knowledge, address in dict.fromkeys(looked_up):
            if knowledge is Knowledge.UNTOLD:
                yield Finding(
                    command.pointer,
                    f"the command uses {quote(address)}, which stands in no provides and in no intent",
                    "provide it, or use a name that is provided",
                )
        files, words = chosen_words(program) if program is not None else ((), frozenset())
        word = product.tests.untold_word(files, words, index)
        if word:
            yield Finding(
                command.pointer,
                f"the command chooses tests by {quote(word)}, of which nobody who writes them is told",
                "say in the intent what these tests are called, or run the whole file",
            )
        for test in named_tests(program) if program is not None else ():
            if product.tests.knowledge(test, index) is Knowledge.UNTOLD:
                yield Finding(
                    command.pointer,
                    f"the command runs {quote(test.text)}, of which no work order that writes it is told",
                    "name it in the work order that writes the file, or run the whole file",
                )


RULE = Rule("W306", "untold-name", Severity.WARNING, explanation=__doc__, find=find)
