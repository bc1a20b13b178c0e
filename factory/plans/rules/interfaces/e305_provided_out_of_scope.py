"""A provided symbol whose module the work order may not write.

## What it finds

A symbol in `provides` whose module is none of the allowed files: `tally.counting` is `tally/counting.py` or
`tally/counting/__init__.py`, at the repository's root, below `src` or below another directory that is not a
package. Symbols of other languages than Python are written with their file, which must be allowed.

## Why it matters

The work order promises something that it is not allowed to write, so no attempt can keep it.

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
      "provides": ["tally:count_words(text: str) -> dict[str, int]"]
    }
  ]
}
```

## Fix

Name the module that the work order writes, or add the file to `allowed_files`. A name that a package's
`__init__.py` imports from another module is provided by the work order that writes the `__init__.py`. What a
file of another language offers is no Python symbol: write it with its file, such as
`src/slug.ts:slugify(text: string): string`, or say it in `notes` if Workorder does not know the language.
"""

from collections.abc import Iterator, Sequence

from factory.languages.port import Addressed
from factory.languages.table import language_of, language_of_symbol
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for the module of each provided symbol among the allowed files of its work order."""
    interfaces = subject.interfaces
    if interfaces is None:
        return
    allowed = {placed.index: placed.order.allowed_files for placed in subject.orders}
    known = subject.repo_files.union(*allowed.values())
    for declared in interfaces.provided:
        symbol = declared.symbol
        if symbol is None:
            continue
        language = language_of_symbol(symbol.address)
        if language.place(symbol, allowed[declared.index], known.__contains__) is None:
            yield Finding(
                declared.pointer,
                f"the module {quote(symbol.module)} is none of the allowed files",
                _hint(symbol, allowed[declared.index]),
            )


def _hint(symbol: Addressed, allowed: Sequence[str]) -> str:
    """What to do; of a file of another language there is no module to name."""
    module = symbol.module
    ends = tuple(f"/{name}" for name in (module, module.replace(".", "/")))
    for path in allowed:
        stem, _, suffix = path.rpartition(".")
        if suffix not in ("py", "pyi") and (f"/{path}".endswith(ends) or f"/{stem}".endswith(ends)):
            if language_of(path) is not None:
                return f"write the symbol with its file, {quote(f'{path}:{symbol.name}…')}"
            return (
                f"{quote(path)} is no Python file, and `provides` names Python symbols only: take the symbol"
                " out, and say in `notes` what the file offers"
            )
    language = language_of_symbol(symbol.address)
    written = [path for path in allowed if language_of(path) not in (None, language)]
    if written and all(language_of(path) is not language for path in allowed):
        # Who writes in one language has no use for a file of another.
        return (
            f"nothing here is written in {language.name}: write the symbol with the file that offers it, such"
            f" as {quote(f'{written[0]}:{symbol.name}…')}, or take it out"
        )
    file = language.file_names(symbol)[0]
    return f"add {quote(file)} to allowed_files, or name the module that is written here"


RULE = Rule("E305", "provided-out-of-scope", Severity.ERROR, explanation=__doc__, find=find)
