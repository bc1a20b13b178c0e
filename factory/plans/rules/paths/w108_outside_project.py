"""Files outside of the project that a work order names, or all in one that it does not name.

## What it finds

An allowed file of a work order with a `project` that lies outside of the project's directory. And a work
order without `project` all of whose allowed files lie in one project of the repository. Of a project that the
repository does not have, E110 alone tells.

## Why it matters

The commands of a work order run in its project, with the packages of the project, and see the modules of the
project first. What is written elsewhere is verified, but what proves the work order does not look there. A
work order that names no project runs its commands at the root, where the packages of the project are not.

## Example

In a repository whose `workorder.toml` names the project:

```toml
projects = ["services/greeter"]
```

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "project": "services/greeter",
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python ../../hello.py"]
    }
  ]
}
```

## Fix

Correct the path, which is relative to the repository's root also in a project, or name the project. Divide a
work order that writes files of two projects. Where both belong to one change, such as a document at the root,
say so in `accepted_warnings`.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.projects import project_of


def find(subject: Subject) -> Iterator[Finding]:
    """Compare the allowed files of each work order with its project."""
    configured = subject.sources.known_projects if subject.sources is not None else ()
    known = configured or ()
    for placed in subject.orders:
        order = placed.order
        if order.project is None:
            places = {project_of(path, known) for path in order.allowed_files}
            (place,) = places if len(places) == 1 else (None,)
            if place is not None:
                yield Finding(
                    placed.pointer,
                    f"all its files lie in the project {quote(place)}, but its commands run at the root",
                    f'name the project: `"project": "{place}"`',
                )
            continue
        if configured is not None and order.project not in configured:
            continue
        for position, path in enumerate(order.allowed_files):
            if not path.is_within(order.project):
                yield Finding(
                    f"{placed.pointer}/allowed_files/{position}",
                    f"{quote(path)} lies outside of the project {quote(order.project)}",
                    "write it below the project's directory, or divide the work order",
                )


RULE = Rule("W108", "outside-project", Severity.WARNING, explanation=__doc__, find=find)
