"""Verifies what is started from by the repository's own means, before a model is asked."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from factory.configuration.document import Configuration
from factory.contract.work_order import VerifyContract
from factory.environments.projects import Subproject
from factory.gates.baseline_report import BaselineReport
from factory.gates.before.baseline import examine_baseline, require_usable
from factory.gates.before.services import require_services
from factory.gates.bench import Bench
from factory.runs.inputs import Run

BASELINE_FOLDER: Final = "baseline"
"""The folder with what the verification of a base said, beside those of the runs."""


def verify_base(
    bench: Bench,
    folder: Path,
    configuration: Configuration,
    contract: VerifyContract | None,
    *,
    red_accepted: bool,
    reuse: bool = True,
    projects: Sequence[Subproject] = (),
) -> BaselineReport:
    """What the repository's own verification says of a base on which work can be judged.

    Args:
        bench: at the base, nothing changed; afterwards its checkout holds what the checks left in it.
        folder: gets the result, and what the commands printed.
        configuration: the repository's own, as it counts.
        contract: the plan's; what it requires may still have to be made. None if there is none.
        red_accepted: whether the user accepts a base that fails.
        reuse: whether a result of the same base is used again.
        projects: those of the repository.

    Raises:
        Refused: it fails and that is not accepted, or no attempt could be judged on it.
        MachineProblem: a program that it needs is not installed, or a service does not get ready.
        BadService: one that the plan declares does not get ready.
        FileProblem, GitError: the result can't be written, or git failed.
        Stopped: the bench's stop asked for it.
    """
    require_services(bench, folder)
    files = bench.checkout.tree
    report = examine_baseline(
        bench,
        folder,
        configuration,
        exempt=contract is not None
        and not all(condition.holds(files.exists(condition.path)) for condition in contract.requires),
        red_accepted=red_accepted,
        reuse=reuse,
        projects=projects,
    )
    require_usable(report, folder, red_accepted=red_accepted)
    return report


def on_verified_base(run: Run, bench: Bench, out: Path, *, red_accepted: bool) -> Run:
    """The run with what is known of its base, which is there again as it was.

    Args:
        run: the run.
        bench: its checkout, nothing changed.
        out: the directory with the run folders.
        red_accepted: whether the user accepts a base that fails.

    Raises:
        WorkorderError: as `verify_base` raises it.
    """
    run.ports.progress("verifying the base before a model is asked")
    contract = run.plan.verify_contract if run.plan is not None else None
    try:
        report = verify_base(
            bench,
            out / BASELINE_FOLDER,
            run.configuration,
            contract,
            red_accepted=red_accepted,
            # Of the user's checkout no commit tells all that is in it.
            reuse=not run.in_place,
            projects=run.projects,
        )
    finally:
        bench.checkout.restore()
    known = report if red_accepted else None
    return replace(run, known=known, kept_tests=report.kept_tests(_writable(run)))


def _writable(run: Run) -> Collection[str]:
    """The files that some work order of the plan may write, of a run without a plan its own."""
    orders = (run.order, *(run.plan.work_orders if run.plan is not None else ()))
    return frozenset(path for order in orders for path in order.allowed_files)
