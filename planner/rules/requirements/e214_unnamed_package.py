"""Package that nobody named.

## What it finds

A package in `requires_packages` of a work order, or in `environment`, that neither the specification names
nor the repository in its own files: `workorder.toml`, `pyproject.toml`, requirements, `package.json`. Letter
case, hyphens, dots and underscores make no difference. Only a plan that is checked with its specification is
held against it.

A package that one of the repository's locks holds may be required without being named: it is there already
because another one needs it, so that nothing new comes in. Sources may import it only where it is required or
declared, as `pydantic` beside `fastapi`.

## Why it matters

A package is somebody else's code in the product, with what it needs itself. Whether it may come in is for a
person to say, in the specification, in the configuration or when asked; a model proposes names that don't
exist, or that somebody registered because models propose them.

## Example

Of the specification

```markdown
- A service that answers with JSON.
```

the plan

```json
{
  "requirements": [{"id": "REQ-01", "text": "It answers.", "quotes": ["A service that answers with JSON."]}],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Answer",
      "requirements": ["REQ-01"],
      "intent": "Answer with JSON.",
      "preconditions": [{"kind": "file_absent", "path": "service.py"}],
      "postconditions": [{"kind": "file_exists", "path": "service.py"}],
      "allowed_files": ["service.py"],
      "acceptance_commands": ["python service.py"],
      "requires_packages": [{"ecosystem": "python", "specifier": "fastapi>=0.120"}]
    }
  ]
}
```

## Fix

Do without the package, or let a person decide: `--allow-packages NAME[,NAME]` of `planner compile`, `revise`
and `check` allows it, and the plan remembers that; or name it in the specification or in `[environment]` of
`workorder.toml`.
"""

import re
from collections.abc import Iterator
from typing import Final

from factory.contract.packages.names import normalised_name, parse_requirement
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from planner.rules.subject import Subject

_SEPARATORS: Final = re.compile(r"(?<=\w)[-_.]+(?=\w)")


def find(subject: Subject) -> Iterator[Finding]:
    """Look for the name of each package among the words of those who may name one."""
    if subject.spec is None or subject.plan is None:
        return
    words = _SEPARATORS.sub("-", subject.package_words).lower()
    allowed = {_plain(name) for name in subject.packages_allowed}
    locked = {(ecosystem, _plain(name)) for ecosystem, name in subject.locked_packages}
    for pointer, ecosystem, name in _required(subject):
        plain = _plain(name)
        if (
            plain in allowed
            or (ecosystem, plain) in locked
            or re.search(rf"(?<![\w@/-]){re.escape(plain)}(?![\w/-])", words)
        ):
            continue
        yield Finding(
            pointer,
            f"neither the specification nor the repository names the package {quote(name)}",
            f"do without it; only a person may allow it, by `--allow-packages {name}`",
        )


def _required(subject: Subject) -> Iterator[tuple[str, str, str]]:
    for placed in subject.orders:
        for position, package in enumerate(placed.order.requires_packages):
            yield f"/work_orders/{placed.index}/requires_packages/{position}", package.ecosystem, package.name
    environment = subject.environment
    if environment is not None:
        for position, text in enumerate(environment.python):
            yield f"/environment/python/{position}", "python", normalised_name(parse_requirement(text).name)
        for name in environment.node:
            yield f"/environment/node/{name.replace('~', '~0').replace('/', '~1')}", "node", name


def _plain(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()


RULE = Rule("E214", "unnamed-package", Severity.ERROR, explanation=__doc__, find=find)
