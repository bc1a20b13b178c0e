"""Service that the repository configures otherwise.

## What it finds

A service in `services` of a plan of which `[[services]]` of the repository says something else: one with the
same name that has another command or another value of a variable there, or one with another name that sets a
variable which a configured service sets. Only what the plan says is compared, so `{"preset": "postgres"}`
fits whatever the repository adds to it.

## Why it matters

A service of the same name is the configured one, so what the plan says of it would never come to pass, and
its tests would look at another address than the one that they are told. Of two services that set one
variable, the plan's would take the place of what people have configured.

## Example

In a repository whose `workorder.toml` has an address of its own:

```toml
[[services]]
preset = "postgres"
set = { SHOP_DB_URL = "postgresql+psycopg://postgres@127.0.0.1:{port}/shop" }
```

```json
{
  "services": [
    {"preset": "postgres", "set": {"SHOP_DB_URL": "postgresql://postgres@127.0.0.1:{port}/postgres"}}
  ],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Remember",
      "intent": "Remember names in the database at SHOP_DB_URL.",
      "postconditions": [{"kind": "file_exists", "path": "names.py"}],
      "allowed_files": ["names.py"],
      "acceptance_commands": ["python names.py"]
    }
  ]
}
```

## Fix

Leave the service out of the plan: what the repository configures is there already, and intents name the
variables that it sets. If the plan is right, change `[[services]]` to say the same, and commit that. `factory
run` and `factory build` refuse such a plan, too (exit code 4), before a model is asked.
"""

from collections.abc import Iterator
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.services.declared import Service, contradictions
from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Finding, Rule
from factory.plans.states.projects import configured
from factory.plans.states.sources import Sources
from planner.rules.subject import Subject

_LEAVE_OUT: Final = "leave it out of the plan: what `[[services]]` declares runs beside every command already"


def find(subject: Subject) -> Iterator[Finding]:
    """Hold the services of the plan against those of the repository's configuration."""
    if subject.sources is None or not subject.services:
        return
    numbers, planned = zip(*subject.services, strict=True)
    for place, problem in contradictions(planned, _configured(subject.sources)):
        yield Finding(f"/services/{numbers[place]}", problem, _LEAVE_OUT)


def _configured(sources: Sources) -> tuple[Service, ...]:
    """The services that count; none where the configuration can't be used, which others tell.

    What the file of the only project says of services counts before what the root's does.
    """
    places = [f"{sources.alone}/", ""] if sources.alone is not None else [""]
    try:
        listed = next((said for below in places if (said := _said(sources, below)) is not None), [])
        return tuple(map(Service.model_validate, listed)) if isinstance(listed, list) else ()
    except (WorkorderError, ValueError, RecursionError):
        return ()


def _said(sources: Sources, below: str) -> object:
    """What the configuration in a directory says of services; None for nothing."""
    files = frozenset(path.removeprefix(below) for path in sources.files if path.startswith(below))

    def read(path: str) -> bytes | None:
        return sources.read(below + path)

    return configured(files, read, "services")


RULE = Rule("E217", "contradicted-service", Severity.ERROR, explanation=__doc__, find=find)
