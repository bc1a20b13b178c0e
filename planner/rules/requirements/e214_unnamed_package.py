"""Package that nobody named.

## What it finds

A package in `requires_packages` of a work order, or in `environment`, that neither the specification names
nor the repository in its own files: `workorder.toml`, `pyproject.toml`, requirements, `package.json`. Letter
case, hyphens, dots and underscores make no difference. Only a plan that is checked with its specification is
held against it. `factory run` and `factory build` do that, too, before any package is fetched (exit code 4),
with the copy of the specification that a plan keeps; of a plan without one they tell what it brings in.

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

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from factory.plans.states.packages import packages_of, packages_of_environment
from planner.rules.subject import Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for the name of each package among the words of those who may name one."""
    if subject.spec is None or subject.plan is None:
        return
    brought = [
        (f"/work_orders/{placed.index}{package.pointer}", package)
        for placed in subject.orders
        for package in packages_of(placed.order)
    ]
    brought += [(package.pointer, package) for package in packages_of_environment(subject.environment)]
    for pointer, package in brought:
        if package not in subject.named_packages:
            yield Finding(
                pointer,
                f"neither the specification nor the repository names the package {quote(package.name)}",
                f"do without it; only a person may allow it, by `--allow-packages {package.name}`",
            )


RULE = Rule("E214", "unnamed-package", Severity.ERROR, explanation=__doc__, find=find)
