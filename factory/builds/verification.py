"""The repository's own verification, on the base of a build and before any model is asked."""

from pathlib import Path

from factory.checkout.workspace import Checkout
from factory.configuration.document import Configuration
from factory.contract.errors import MachineProblem
from factory.contract.work_order import Plan
from factory.gates.baseline_report import BaselineCheck, BaselineReport
from factory.gates.before.baseline import examine_baseline
from factory.repository.target import Refused
from factory.runs.settings import AttemptSettings, Outside
from factory.system.process.stop import Stop
from factory.system.sandbox.port import Terms
from factory.system.terminal.console import visible


def verified(
    plan: Plan,
    opened: Checkout,
    out: Path,
    configuration: Configuration,
    settings: AttemptSettings,
    world: Outside,
    *,
    red_accepted: bool,
    terms: Terms | None,
    stop: Stop | None,
) -> BaselineReport:
    """What the repository's own verification says of the base, before anything is paid.

    Args:
        plan: the plan; what its verification requires may still have to be made.
        opened: a fresh checkout of the base.
        out: gets the folder `baseline`.
        configuration: the repository's own.
        settings: how commands are run.
        world: for the environment, and for telling the user.
        red_accepted: whether it may fail.
        terms: the sandbox of the commands; None for none.
        stop: ends it; None if nothing will.

    Raises:
        Refused: it fails and that is not accepted, or it changes files, so that it can judge nothing.
        MachineProblem: a program that it needs is not installed.
        Stopped: `stop` asked for it.
    """
    contract = plan.verify_contract
    exempt = contract is not None and not all(
        condition.holds(opened.tree.exists(condition.path)) for condition in contract.requires
    )
    # From here on everything that differs is what a check changed.
    opened.stage([])
    world.progress("verifying the base before a model is asked")
    report = examine_baseline(
        world.bench(opened, settings, terms, stop),
        out / "baseline",
        configuration,
        exempt=exempt,
        red_accepted=red_accepted,
    )
    _refuse_red(report, out, accepted=red_accepted)
    return report


def _refuse_red(report: BaselineReport, out: Path, *, accepted: bool) -> None:
    for check in report.unacceptable:
        assert check.failure is not None
        told = f"the verification of the base can't be used: {check.name}: {check.failure.told}"
        where = str(out / "baseline")
        if check.changed:
            raise Refused(told, where=where, hint="let the check leave the repository's files as they are")
        raise MachineProblem(told, where=where, hint=check.failure.hint)
    if report.red and not accepted:
        names = ", ".join(f"{check.name} ({_first_failure(check)})" for check in report.red)
        raise Refused(
            f"the repository's own verification fails already, before anything was changed: {names}",
            where=str(out / "baseline"),
            hint="repair it, or accept it with --baseline-red: then only new failures count",
        )


def _first_failure(check: BaselineCheck) -> str:
    if check.failing_tests:
        more = f" and {len(check.failing_tests) - 1} more" if len(check.failing_tests) > 1 else ""
        return f"{visible(check.failing_tests[0])}{more}"
    return check.failure.told if check.failure is not None else ""
