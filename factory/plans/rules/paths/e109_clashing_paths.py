"""A path that must be a file and a directory.

## What it finds

A file that a work order makes below what is a file, of the repository or of this or another work order:
`output` and `output/longest.txt`. And a source of Python beside a directory of its name with sources in it
(`tally/cli.py` and `tally/cli/render.py`), where a work order writes one of the two.

## Why it matters

No repository can hold both, so the later of the two can never be written. Of a module and a package of one
name Python imports one, and never finds the other.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "postconditions": [
        {"kind": "file_exists", "path": "hello"},
        {"kind": "file_exists", "path": "hello/words.py"}
      ],
      "allowed_files": ["hello", "hello/words.py"],
      "acceptance_commands": ["python hello/words.py"]
    }
  ]
}
```

## Fix

Give one of the two another name.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for each written file, and for what is above it, among the files of all others."""
    if subject.writers is None:
        return
    above = {parent for path in subject.repo_files for parent in _parents(path)}
    files = dict.fromkeys(subject.repo_files, "the repository")
    for placed in subject.orders:
        # Without conditions a name may stand for a directory.
        if not placed.order.declares_conditions:
            continue
        for position, path in enumerate(placed.order.allowed_files):
            file = next((parent for parent in _parents(path) if parent in files), None)
            if file is not None or path in above:
                message = (
                    f"{quote(path)} lies below {quote(file)}, which is a file of {files[file]}"
                    if file is not None
                    else f"{quote(path)} is a directory: there are files below it"
                )
                yield Finding(
                    f"{placed.pointer}/allowed_files/{position}", message, "give one of the two another name"
                )
            else:
                files[path] = placed.order.id
                above.update(_parents(path))
    yield from _hidden(subject)


def _hidden(subject: Subject) -> Iterator[Finding]:
    """Modules of Python that have the name of a package beside them."""
    written: dict[str, str] = {
        path: f"{placed.pointer}/allowed_files/{position}"
        for placed in reversed(subject.orders)
        for position, path in reversed(tuple(enumerate(placed.order.allowed_files)))
        if path.endswith(".py")
    }
    sources = [path for path in (*subject.repo_files, *written) if path.endswith(".py")]
    packages: dict[str, list[str]] = {}
    for path in sources:
        packages.setdefault(path.rpartition("/")[0], []).append(path)
    for module in sorted(set(sources)):
        inside = packages.get(module.removesuffix(".py"), [])
        place = written.get(module) or next((written[path] for path in inside if path in written), None)
        if inside and place is not None:
            yield Finding(
                place,
                f"{quote(module)} and {quote(min(inside))} are a module and a package of one name:"
                " Python finds one of them",
                "give one of the two another name, or make the module the package's `__init__.py`",
            )


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


RULE = Rule("E109", "clashing-paths", Severity.ERROR, explanation=__doc__, find=find)
