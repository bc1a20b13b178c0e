"""Runs the verification on a baseline, before a model is asked: what already fails is nobody's new work.

The result is a view: it can be deleted, and a damaged one is made anew. What follows from it, whether a build
is refused or which failures count, is decided elsewhere.
"""

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from factory.attempt.failure import Stage
from factory.checkout.workspace import Checkout
from factory.configuration.document import Configuration
from factory.contract.canonical import canonical_json, dump, readable_json, sha256_hex
from factory.gates.baseline_report import BaselineCheck, BaselineReport
from factory.gates.bench import Bench
from factory.gates.check import CheckContext
from factory.gates.checks.registry import carried_out, verification
from factory.system.files.tree import FileProblem, read_bounded, write_atomic
from factory.system.process.launch import capture

BASELINE_RESULT: Final = "baseline_result.json"

_LARGEST_RESULT: Final = 100_000_000
"""The largest stored result that is used again, in bytes; it may name many failing tests."""

# What a repair of a red baseline may change although its tree stays: the interpreter, and what is installed.
_INTERPRETER: Final = """\
import importlib.metadata, sys
print(sys.version, sys.prefix)
print(sorted({f"{found.name}=={found.version}" for found in importlib.metadata.distributions()}))
"""


def examine_baseline(
    bench: Bench,
    folder: Path,
    configuration: Configuration,
    *,
    exempt: bool = False,
    red_accepted: bool = False,
) -> BaselineReport:
    """Run every check of the verification on a fresh checkout of the baseline.

    A result in the folder is used again if it is for the same tree, checks, time limit, environment,
    interpreter and installed Python packages. One that failed is used again only if `red_accepted`: otherwise
    it is about to be refused, and the user may have repaired what the comparison does not see.

    Args:
        bench: at the baseline, nothing changed. Afterwards its checkout holds what the checks left in it:
            restore it before an attempt, or drop it.
        folder: gets `baseline_result.json` and the output of each command; made if it is missing.
        configuration: the repository's own, at the baseline.
        exempt: whether the baseline can't be verified as a whole yet, because the plan is still to make what
            the verification needs: then it is only compiled.
        red_accepted: whether the user accepts a baseline that fails.

    Raises:
        FileProblem: the result can't be written.
        GitError: git failed.
        Stopped: `stop` asked for it.
    """
    checkout = bench.checkout
    tree = checkout.git.text("rev-parse", f"{checkout.baseline}^{{tree}}")
    identity = _identity(bench, configuration, exempt=exempt)
    stored = _stored(folder / BASELINE_RESULT)
    is_same = stored is not None and (stored.tree, stored.identity) == (tree, identity)
    if stored is not None and is_same and (not stored.red or (red_accepted and not stored.unacceptable)):
        return stored
    folder.mkdir(parents=True, exist_ok=True)
    context = bench.baseline_context(folder, exempt=exempt)
    report = BaselineReport(tree=tree, identity=identity, checks=_examined(context, checkout, configuration))
    write_atomic(folder / BASELINE_RESULT, readable_json(dump(report)))
    return report


def _examined(
    context: CheckContext, checkout: Checkout, configuration: Configuration
) -> tuple[BaselineCheck, ...]:
    """All checks, also after one that failed: each failure is known by itself."""
    found: list[BaselineCheck] = []
    for check in verification(configuration, report=True):
        result = carried_out(check, context, Stage.VERIFY_FAILED)
        found.append(
            BaselineCheck(
                name=result.name,
                gates=result.gates,
                failure=result.failure,
                note=result.note,
                failing_tests=result.failing_tests,
                changed=result.changed,
            )
        )
        if result.changed:
            checkout.restore()
    return tuple(found)


def _identity(bench: Bench, configuration: Configuration, *, exempt: bool) -> str:
    checkout, terms = bench.checkout, bench.terms
    scratch = str(checkout.home.parent)
    try:
        # -I: nothing of the checkout is imported.
        asked = capture(["python", "-I", "-c", _INTERPRETER], cwd=checkout.home, env=bench.environment)
        interpreter = asked.stdout.decode("utf-8", "backslashreplace") if asked.ok else ""
    except OSError:
        interpreter = ""
    return sha256_hex(
        canonical_json(
            {
                "checks": [dump(check) for check in configuration.checks],
                "environment": {
                    name: value.replace(scratch, "").encode("utf-8", "backslashreplace").decode()
                    for name, value in bench.environment.items()
                },
                "exempt": exempt,
                "sandbox": str(terms and (terms.sandbox.level, terms.network, terms.resources)),
                "interpreter": interpreter.replace(scratch, ""),
                "timeout_seconds": bench.timeout_seconds,
            }
        )
    )


def _stored(path: Path) -> BaselineReport | None:
    try:
        return BaselineReport.model_validate_json(read_bounded(path, max_bytes=_LARGEST_RESULT))
    except (FileProblem, ValidationError):
        return None
