"""Postcondition outside the allowed files.

## What it finds

A postcondition on a path that the work order may not write. That is also one on a lock (`Cargo.lock`,
`package-lock.json`, `uv.lock` and the like) that is not there: only its tool writes it, so an attempt that
proposes it fails. Without any postconditions all allowed files are promised.

## Why it matters

The work order promises something that it is not allowed to do, so it can only pass by luck, if the file is
there already.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "postconditions": [
        {"kind": "file_exists", "path": "hello.py"},
        {"kind": "file_exists", "path": "README.md"}
      ],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

## Fix

Add the path to `allowed_files`, or drop the postcondition. What must be there already is a precondition.
A lock is left out of both: what is declared is locked before the first work order.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from factory.contract.packages.names import LOCK_NAMES
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.locks import files_to_come

_LOCKED: Final = {"Cargo.lock": "Cargo.toml", "go.sum": "go.mod"}


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each work order by itself."""
    for placed in subject.orders:
        allowed = frozenset(placed.order.allowed_files)
        for position, condition in enumerate(placed.order.postconditions):
            if condition.path not in allowed:
                yield Finding(
                    f"{placed.pointer}/postconditions/{position}",
                    f"{quote(condition.path)} is not among the allowed files",
                    "add it to allowed_files, or drop the postcondition",
                )
        yield from _locks(subject, placed.order, placed.pointer)


def _locks(subject: Subject, order: WorkOrder, pointer: str) -> Iterator[Finding]:
    """The locks that a work order promises and that neither the repository has nor is to get before."""
    if subject.plan is None or subject.plan.wanted_environment(order.project) is not None:
        return
    there = subject.repo_files
    if subject.sources is not None:
        there |= subject.sources.files | files_to_come(subject.sources)
    promised: Sequence[tuple[str, RepoPath]] = [
        (f"postconditions/{position}", condition.path)
        for position, condition in enumerate(order.postconditions)
    ]
    if not order.declares_conditions:
        promised = [(f"allowed_files/{position}", path) for position, path in enumerate(order.allowed_files)]
    for place, path in promised:
        folder, slash, name = path.rpartition("/")
        # Where these are there, a lock that is missing is made before the first work order.
        may_come = f"{folder}{slash}{_LOCKED.get(name)}" in there
        if name in LOCK_NAMES and path in order.allowed_files and path not in there and not may_come:
            yield Finding(
                f"{pointer}/{place}",
                f"{quote(path)} is a lock, which only its tool writes",
                "leave it out: what is declared is locked before the first work order",
            )


RULE = Rule("E103", "postcondition-out-of-scope", Severity.ERROR, explanation=__doc__, find=find)
