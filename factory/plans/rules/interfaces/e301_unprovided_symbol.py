"""A symbol that no one provides.

## What it finds

A symbol in `consumes` that no earlier work order has in its `provides` and that the repository does not
define. The repository's sources are read, never imported. A class counts as provided when one of its members
is; a member has to be provided by itself. A symbol that a module of the repository imports from another one,
by its name or with everything (`from .counting import *`), is provided by who provides it there. Of several
projects in a repository each may have a module of that name: a work order sees that of its `project`, if the
project has one.

The same in an acceptance command: a name of a module of the product (`python -c "from tally.counting import
count_lines"`) that neither the repository nor an earlier work order has, where the work order itself may not
write the module and none that may was told of the name; and a module of the product's own package that nobody
makes (`python -m tally.commands`). What is tried, guarded or expected to raise is left alone. And a test that
a command names (`tests/test_a.py::test_b`) in a file of the repository that no work order up to this one may
write, and that defines no such test; or a word by which it chooses tests there (`-k counts`) and that no such
file has.

## Why it matters

The implementer of the work order builds on a name that will not be there, or that each of two implementers
imagines in a way of their own. A command that needs one fails whatever is written.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Print the count",
      "intent": "Print how many words a file holds.",
      "postconditions": [{"kind": "file_exists", "path": "tally/report.py"}],
      "allowed_files": ["tally/report.py"],
      "acceptance_commands": ["python -m pytest -q tests"],
      "consumes": ["tally.counting:count_words(text: str) -> dict[str, int]"]
    }
  ]
}
```

## Fix

Let an earlier work order provide the symbol, correct its module or its name, or drop it. `consumes` is for
symbols of this repository, not for the standard library or installed packages. When the repository already
holds code, check with `--repo`. Write a method that is used as a symbol of its own:
`pkg.board:Board.play(self, row: int) -> None`.
"""

from collections.abc import Iterator

from factory.languages.port import Address, Addressed
from factory.plans.commands.code.uses import outright, uses
from factory.plans.commands.programs import Invocation
from factory.plans.commands.tests import chosen_words, named_tests
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.symbols import Interfaces
from factory.plans.states.writers import Knowledge

_HINT = "let an earlier work order provide it, correct its module or name, or drop it"


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each consumed symbol by what is there before its work order."""
    interfaces = subject.interfaces
    for wanted in interfaces.consumed if interfaces is not None else ():
        symbol = wanted.symbol
        if interfaces is None or symbol is None or is_there(interfaces, symbol, wanted.index):
            continue
        message = f"{quote(symbol.address)} is provided by no earlier work order nor by the repository"
        lookup = interfaces.in_repository(symbol, wanted.index)
        if lookup.problem:
            message += f": {lookup.problem}"
        yield Finding(wanted.pointer, message, _hint(subject, interfaces, symbol, wanted.index))
    yield from _in_commands(subject)


def _in_commands(subject: Subject) -> Iterator[Finding]:
    product = subject.product
    if product is None:
        return
    for index, command, reading in subject.acceptance_commands:
        impossible = product.impossible_modules(reading, index, subject.places[index])
        for module in impossible:
            message = (
                f"the command needs the module {quote(module)}, which no work order up to this one makes"
            )
            yield Finding(command.pointer, message, "correct its name, or let an earlier work order make it")
        program = outright(reading)
        looked_up = [product.knowledge(use, index) for use in uses(program)] if program is not None else []
        for knowledge, address in dict.fromkeys(looked_up):
            if knowledge is Knowledge.MISSING and address.replace(":", ".") not in impossible:
                yield Finding(
                    command.pointer,
                    f"the command uses {quote(address)}, which no work order up to this one provides and the"
                    " repository does not define",
                    "use a name that is provided, or let the work order that writes the module provide it",
                )
        word = _unchosen(subject, program, index) if program is not None else ""
        if word:
            yield Finding(
                command.pointer,
                f"the command chooses tests by {quote(word)}, which none of the files has",
                "correct the word, or let this or an earlier work order write such a test",
            )
        for test in named_tests(program) if program is not None else ():
            if product.tests.knowledge(test, index) is Knowledge.MISSING:
                yield Finding(
                    command.pointer,
                    f"{quote(test.path)} does not define the test {quote('::'.join(test.names))}",
                    "correct its name, or let this or an earlier work order write the file",
                )


def _unchosen(subject: Subject, program: Invocation, index: int) -> str:
    """A word that stands in none of the files whose tests are chosen by it, if nobody may write these."""
    files, words = chosen_words(program)
    if subject.sources is None or subject.writers is None or not files:
        return ""
    texts = []
    for path in files:
        data = subject.sources.read(path) if path in subject.writers.repo_files else None
        if data is None or subject.writers.of(path, index):
            return ""
        texts.append(f"{path}\n{data.decode('utf-8', 'replace')}".lower())
    return next((word for word in sorted(words) if not any(word in text for text in texts)), "")


def is_there(interfaces: Interfaces, symbol: Addressed, index: int) -> bool:
    """Whether something is defined at the symbol's address before a work order, or may well be."""
    if interfaces.provider(symbol, index) is not None:
        return True
    if interfaces.provides_member(symbol, index):
        return True
    lookup = interfaces.in_repository(symbol, index)
    return bool(lookup.symbols) or not lookup.is_readable


def _hint(subject: Subject, interfaces: Interfaces, symbol: Addressed, index: int) -> str:
    later = [declared for declared in interfaces.providers(symbol, index) if declared.index >= index]
    if later and later[0].index == index:
        return "drop it: this work order provides it itself"
    if later:
        name = subject.order_name(later[0].pointer)
        return f"{name} provides it, which comes later: change the order, or provide it earlier"
    scope = Address(symbol.module, symbol.name.rpartition(".")[0])
    around = interfaces.provider(scope, index) if scope.name else None
    if around is not None:
        name = subject.order_name(around.pointer)
        return f"{name} provides {quote(scope.address)} without it: let it provide both"
    elsewhere = interfaces.elsewhere(symbol, index)
    if elsewhere is not None and elsewhere.symbol is not None:
        name = subject.order_name(elsewhere.pointer)
        return (
            f"{name} provides {quote(elsewhere.symbol.address)}: name that, or let it provide this one, too"
        )
    return _HINT


RULE = Rule("E301", "unprovided-symbol", Severity.ERROR, explanation=__doc__, find=find)
