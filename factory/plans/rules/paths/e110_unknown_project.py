"""A project that the repository does not have.

## What it finds

A `project` of a work order that `projects` in `workorder.toml` does not name, letter for letter.

## Why it matters

The commands of the work order run in the project's directory, with its packages, and its verification comes
first. Where there is no such project, there is nothing to run them in.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "project": "services/greeter",
      "postconditions": [{"kind": "file_exists", "path": "services/greeter/hello.py"}],
      "allowed_files": ["services/greeter/hello.py"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

## Fix

Correct the directory, or take `project` out, so that the commands run at the repository's root. If it is a
project, name it in `projects` in `workorder.toml` at the root, and commit that: no work order does. Check
with `--repo`: without it the repository is a new one, which has no projects.
"""

from collections.abc import Iterator
from difflib import get_close_matches

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for the project of each work order among those that the configuration names."""
    known = subject.sources.known_projects if subject.sources is not None else ()
    if known is None:
        return
    listed = ", ".join(map(quote, known)) or "no projects"
    for placed in subject.orders:
        project = placed.order.project
        if project is not None and project not in known:
            near = get_close_matches(project, known, n=1)
            advice = f"write {quote(near[0])}, or " if near else "correct it, or "
            yield Finding(
                f"{placed.pointer}/project",
                f"{quote(project)} is no project of the repository, which has {listed}",
                f"{advice}add it to `projects` in `workorder.toml`",
            )


RULE = Rule("E110", "unknown-project", Severity.ERROR, explanation=__doc__, find=find)
