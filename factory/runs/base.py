"""Verifies what is started from by the repository's own means, before a model is asked."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from factory.checkout.pool import Checkouts
from factory.configuration.document import Configuration
from factory.contract.work_order import Plan, VerifyContract, WorkOrder
from factory.environments.environment import Environment
from factory.environments.projects import Subproject
from factory.environments.provide import Project
from factory.gates.baseline_report import BaselineCheck, BaselineReport
from factory.gates.before.baseline import examine_baseline, require_usable
from factory.gates.before.services import require_services
from factory.gates.before.toolchains import require_toolchains
from factory.gates.bench import Bench
from factory.gates.trial import CheckGroup
from factory.runs.inputs import Ports, Run
from factory.runs.settings import AttemptSettings
from factory.services.templates import prepared
from factory.trials.conditions import Conditions, Setting
from factory.trials.port import Trials
from factory.trials.request import TrialRequest, VerifyBase

BASELINE_FOLDER: Final = "baseline"
"""The folder with what the verification of a base said, beside those of the runs."""


def verify_base(
    bench: Bench,
    folder: Path,
    configuration: Configuration,
    contract: VerifyContract | None,
    orders: Iterable[WorkOrder],
    *,
    red_accepted: bool,
    reuse: bool = True,
    projects: Sequence[Subproject] = (),
    trials: Trials | None = None,
    setting: Setting | None = None,
) -> BaselineReport:
    """What the repository's own verification says of a base on which work can be judged.

    Args:
        bench: at the base, nothing changed; afterwards its checkout holds what the checks left in it.
        folder: gets the result, and what the commands printed.
        configuration: the repository's own, as it counts.
        contract: the plan's; what it requires may still have to be made. None if there is none.
        orders: the work orders that are to be executed.
        red_accepted: whether the user accepts a base that fails.
        reuse: whether a result of the same base is used again.
        projects: those of the repository.
        trials: runs the verification; None to run it here.
        setting: what other machines need to run it.

    Raises:
        Refused: it fails and that is not accepted, or no attempt could be judged on it.
        MachineProblem: a program that it or a work order's command needs is not installed or does not start,
            or a service does not get ready.
        BadService: one that the plan declares does not get ready.
        FileProblem, GitError: the result can't be written, or git failed.
        Stopped: the bench's stop asked for it.
    """
    elsewhere = trials is not None and trials.are_elsewhere
    if not elsewhere:
        # Other machines see for themselves.
        require_toolchains(bench, orders, folder)
        require_services(bench, folder)
    exempt = contract is not None and not contract.can_run(bench.checkout.tree.exists)

    def run_checks(parts: tuple[CheckGroup, ...], evidence: Path) -> tuple[BaselineCheck, ...]:
        assert trials is not None
        assert setting is not None
        request = TrialRequest(question=VerifyBase(exempt=exempt), base=bench.checkout.baseline)
        return trials.ask(request, Conditions(bench, parts, setting), evidence).baseline

    report = examine_baseline(
        bench,
        folder,
        configuration,
        exempt=exempt,
        red_accepted=red_accepted,
        reuse=reuse,
        projects=projects,
        run_checks=run_checks if elsewhere else None,
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
            [run.order],
            red_accepted=red_accepted,
            # Of the user's checkout no commit tells all that is in it.
            reuse=not run.in_place,
            projects=run.projects,
        )
    finally:
        bench.checkout.restore()
    tell_tally(report, run.ports.progress)
    known = report if red_accepted else None
    return replace(run, known=known, kept_tests=report.passed_tests)


def tell_tally(report: BaselineReport, progress: Callable[[str], None]) -> None:
    """Tell how much the base's tests say: those that are skipped for lack of a package say nothing."""
    if report.tally:
        progress(f"the base: {report.tally}")


def try_services(
    root: Project,
    plan: Plan | None,
    settings: AttemptSettings,
    ports: Ports,
    in_place: bool,
    environment: Environment,
) -> None:
    """Start the services once beside a base: what can't get ready is known before anything lands.

    Args:
        root: what commands work on: the repository, the base, its configuration, and where logs go.
        plan: the plan; None if it is not at hand.
        settings: how work orders are attempted.
        ports: what is touched beside the repository.
        in_place: whether commands will work in the user's own checkout.
        environment: what the services find.

    Raises:
        SandboxRefused, MachineProblem, BadService: they can't run here, or one does not get ready.
    """
    terms = ports.terms(in_place, root.configuration)
    services = ports.services(root.configuration, plan, terms)
    if not services or root.out is None:
        return
    sandbox = terms.sandbox if terms is not None else None
    with (
        Checkouts(root.git, sandbox) as checkouts,
        prepared(services, root.git, terms, ports.environment) as started,
        checkouts.at(root.commit) as opened,
    ):
        bench = ports.bench(opened, settings, environment, terms, None, started)
        require_services(bench, root.out / BASELINE_FOLDER)
