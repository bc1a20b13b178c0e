"""Acceptance that proves no behaviour.

## What it finds

A work order that builds behaviour and whose acceptance commands only look: whether files exist or hold some
words (`test -f`, `grep`), whether sources compile (`compileall`, `mypy`, `ruff`), whether modules can be
imported or names are there (`python -c "import …"`, `hasattr`), whether a program prints its help. Nor does
a command count that can't be wrong: code that asserts nothing (`python -c "import a; a.f(1)"`) or whose
assertions are left out (`python -O -c "assert …"`, `env PYTHONOPTIMIZE=1 python -c "assert …"`; those of
tests hold where pytest rewrites them, so not with `pytest --assert=plain`) or taken by the code itself
(`except Exception: pass` around them, or with a `print`), a type alone, a call compared with itself,
something that is not None, nothing of the repository; a shell that ends well whatever came before (`sh -c
"pytest || true"`). The code of `node -e` is judged as the Python that means the same: `process.exit(1)`
behind an `if` and the functions of `node:assert` are assertions.

Of every work order also code that asserts in vain: a tuple (`assert (f(1) == 2, "message")`), `… or True`,
a thing or its opposite, a length that is not negative (`len(x) >= 0`), `x is x`, `x in [x]`, an instance of
`object`, a name of such a thing or of a function that is not called, or a comparison that stands there
without `assert`.

A work order builds behaviour when it writes a source in a language that Workorder knows that is neither a
test nor an `__init__.py`, and also writes a test, provides a function or method, or tells of one in its
intent or notes: by a definition (`def`, `func`, `fn`, `function`), a call (`count_words(text)`), or that
something returns.

## Why it matters

Code that does nothing right passes such commands, and the work order lands. The verification of the whole
repository runs only the tests that the implementer wrote itself.

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
      "acceptance_commands": ["test -f tally.py", "python -c \\"from tally import count_words\\""],
      "provides": ["tally:count_words(text: str) -> dict[str, int]"]
    }
  ]
}
```

## Fix

Run the tests of this part (`python -m pytest -q tests/test_tally.py`), or assert a result that the
specification states: `python -c "from tally import count_words; assert count_words('a A') == {'a': 2}"`.
"""

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from factory.contract.work_order import WorkOrder
from factory.languages.python.language import PYTHON
from factory.languages.table import language_of
from factory.plans.commands.needs import is_test_file
from factory.plans.commands.programs import Reading
from factory.plans.commands.proof.demands import idle_assertions
from factory.plans.commands.strength import only_looks
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject

_WITHOUT_BEHAVIOUR: Final = frozenset({"__init__.py", "setup.py"})
_DEFINITION: Final = re.compile(r"\b(?:def|func|fn|function) [^\W\d]\w*\s?[(<\[]")
_CALL: Final = re.compile(r"(?<![\w.])[^\W\d][\w.]*\([^()\n]*\)|\breturn(?:s|ing)\b")
"""A call, which words with a plural in brackets, such as `file(s)`, are not; or that something returns."""

_PLURAL: Final = re.compile(r"\((?:s|es|ies)\)$")


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each work order by all of its acceptance commands."""
    looking: dict[int, bool] = {}
    for index, command, reading in subject.acceptance_commands:
        looking[index] = looking.get(index, True) and only_looks(reading)
        for what, code in _idle(reading):
            yield Finding(command.pointer, f"the command {what}: {quote(code)}", "assert what is to be true")
    provided = subject.interfaces.provided if subject.interfaces is not None else ()
    callable_at = {
        declared.index for declared in provided if declared.symbol is not None and declared.symbol.is_callable
    }
    for placed in subject.orders:
        if looking.get(placed.index, False) and _behaves(placed.order, placed.index in callable_at):
            yield Finding(
                f"{placed.pointer}/acceptance_commands",
                "the commands only look whether something exists, compiles or can be imported, or can't fail",
                "run the tests of this part, or assert a result that the specification states",
            )


def _idle(reading: Reading) -> list[tuple[str, str]]:
    trees = [invocation.code.tree for invocation in reading.invocations if invocation.code is not None]
    return list(dict.fromkeys(idle for tree in trees if tree is not None for idle in idle_assertions(tree)))


def _behaves(order: WorkOrder, provides_function: bool) -> bool:
    if not any(_is_code(path) for path in order.allowed_files):
        return False
    return (
        provides_function
        or any(_is_test(path) for path in order.allowed_files)
        or _tells_of_function(f"{order.intent}\n{order.notes or ''}")
    )


def _tells_of_function(text: str) -> bool:
    return _DEFINITION.search(text) is not None or any(
        not _PLURAL.search(call[0]) for call in _CALL.finditer(text)
    )


def _is_code(path: str) -> bool:
    return (
        language_of(path) is not None
        and posixpath.basename(path) not in _WITHOUT_BEHAVIOUR
        and not _is_test(path)
    )


def _is_test(path: str) -> bool:
    language = language_of(path)
    # Of Python what pytest collects: helpers of tests are code.
    return is_test_file(path) if language in (None, PYTHON) else language.is_test(path)


RULE = Rule("W401", "weak-acceptance", Severity.WARNING, explanation=__doc__, find=find)
