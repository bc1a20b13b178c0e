"""Verification among the acceptance commands.

## What it finds

An acceptance command that runs the verify contract's command or `scripts/verify.sh`, in any spelling: with
another shell, an absolute path, `./`, inside `bash -c` or `env`, after a `cd`, from `python -c`. To look at
the script is fine (`test -f scripts/verify.sh`, `bash -n scripts/verify.sh`).

## Why it matters

The factory verifies the whole repository after every work order anyway, except while the plan says that it
can't pass yet. As an acceptance command it would run twice, and would fail just then.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Set up verification",
      "intent": "Write the script that verifies the repository.",
      "preconditions": [{"kind": "file_absent", "path": "scripts/verify.sh"}],
      "postconditions": [{"kind": "file_exists", "path": "scripts/verify.sh"}],
      "allowed_files": ["scripts/verify.sh"],
      "acceptance_commands": ["bash scripts/verify.sh"]
    }
  ]
}
```

## Fix

Drop the command, and prove what this work order adds: the tests of its own part, or `bash -n
scripts/verify.sh` for the script itself.
"""

from collections.abc import Iterator

from factory.plans.commands.interpreters import is_python, is_shell, python_run, shell_run
from factory.plans.commands.needs import started_scripts
from factory.plans.commands.programs import Invocation
from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Finding, Rule, Subject

DEFAULT_SCRIPT = "scripts/verify.sh"


def find(subject: Subject) -> Iterator[Finding]:
    """Compare what each acceptance command runs with what verification runs."""
    scripts, words = _verification(subject)
    for _, command, reading in subject.acceptance_commands:
        for invocation in reading.invocations:
            if _runs_script(invocation, scripts) or _words(invocation) in words:
                yield Finding(
                    command.pointer,
                    "the command runs the verification of the whole repository",
                    "drop it: verification runs after every work order anyway; check what this one adds",
                )
                break


def _verification(subject: Subject) -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    """The scripts that verification runs; the words of a command that runs none, or one with arguments."""
    scripts = {DEFAULT_SCRIPT}
    words: set[tuple[str, ...]] = set()
    for command in subject.commands:
        if command.index is None and command.reading is not None and command.reading.invocations:
            # The innermost program is what verifies; those around it only start it.
            verifier = command.reading.invocations[-1]
            run = started_scripts(verifier)
            if run and not _script_arguments(verifier):
                scripts.update(run)
            else:
                words.add(_words(verifier))
    return frozenset(scripts), frozenset(words)


def _runs_script(invocation: Invocation, scripts: frozenset[str]) -> bool:
    return any(
        # An absolute path may lead into the repository; where that is, is not known here.
        path == script or (path.startswith("/") and path.endswith("/" + script))
        for path in started_scripts(invocation)
        for script in scripts
    )


def _script_arguments(invocation: Invocation) -> tuple[str, ...]:
    if is_shell(invocation.name):
        return shell_run(invocation.arguments).arguments
    if is_python(invocation.name):
        return python_run(invocation.arguments).arguments
    return invocation.arguments


def _words(invocation: Invocation) -> tuple[str, ...]:
    scripts = started_scripts(invocation)
    if scripts:
        return (*scripts, *_script_arguments(invocation))
    if is_python(invocation.name) and (run := python_run(invocation.arguments)).kind == "module":
        return (run.target, *run.arguments)
    return (invocation.name, *invocation.arguments)


RULE = Rule("E105", "verify-in-acceptance", Severity.ERROR, explanation=__doc__, find=find)
