"""Glob character in a path.

## What it finds

One of `*`, `?`, `[`, `]` in a path of a work order or of the verify contract.

## Why it matters

A contract names each file that may be written and each that must exist. A pattern would allow files that
nobody thought of, and can't be proven.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "allowed_files": ["src/*.py"],
      "acceptance_commands": ["python -m compileall src"]
    }
  ]
}
```

## Fix

Name each file. To forbid a directory, name the directory: everything below it is forbidden with it.
"""

from collections.abc import Iterator

from factory.contract.repo_path import GLOB_CHARACTERS, is_prose
from factory.contract.strict_json import JsonValue
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Judge every path, those of work orders that break the schema elsewhere included."""
    for pointer, path in _paths(subject):
        characters = sorted(GLOB_CHARACTERS.intersection(path))
        if characters:
            yield Finding(
                pointer,
                f"{quote(path)} holds the glob character {characters[0]}",
                "name each file; to forbid all files of a directory, name the directory",
            )


def _paths(subject: Subject) -> Iterator[tuple[str, str]]:
    for index, raw in subject.raw_orders:
        place = f"/work_orders/{index}"
        for key in ("allowed_files", "context_files"):
            yield from _texts(f"{place}/{key}", raw.get(key))
        for pointer, text in _texts(f"{place}/forbidden", raw.get("forbidden")):
            if not (is_prose(text) and subject.may_say(text)):
                yield pointer, text
        for key in ("preconditions", "postconditions"):
            yield from _condition_paths(f"{place}/{key}", raw.get(key))
    contract = subject.manifest.get("verify_contract")
    if isinstance(contract, dict):
        yield from _condition_paths("/verify_contract/requires", contract.get("requires"))


def _texts(pointer: str, values: JsonValue) -> Iterator[tuple[str, str]]:
    for index, value in enumerate(values if isinstance(values, list) else ()):
        if isinstance(value, str):
            yield f"{pointer}/{index}", value


def _condition_paths(pointer: str, values: JsonValue) -> Iterator[tuple[str, str]]:
    for index, value in enumerate(values if isinstance(values, list) else ()):
        if isinstance(value, dict) and isinstance(path := value.get("path"), str):
            yield f"{pointer}/{index}/path", path


RULE = Rule("E004", "glob-in-path", Severity.ERROR, explanation=__doc__, find=find)
