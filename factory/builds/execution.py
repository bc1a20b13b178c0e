"""One pass over a plan: what it needs is opened, the base is verified, and the loop runs."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from threading import Thread, Timer

from factory.attempt.failure import Failure
from factory.attempt.routing import exit_code
from factory.builds.branch.history import History
from factory.builds.branch.trees import Trees
from factory.builds.decisions.schedule import Dependencies
from factory.builds.decisions.standing import Standing
from factory.builds.decisions.tasks import Halt
from factory.builds.footing import Footing
from factory.builds.landing_queue import LandingQueue
from factory.builds.loop import Loop, Mail
from factory.builds.passed_tests import PassedTests
from factory.builds.plan_defect import halt_by_rules
from factory.builds.settings import BuildSettings
from factory.builds.state.machine import OrderPhase
from factory.builds.state.plan_record import record_findings
from factory.builds.state.records import Records
from factory.builds.watch import Doing, Watch, nobody
from factory.builds.worker import Worker
from factory.checkout.pool import Checkouts
from factory.contract.identity import run_id
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import MANIFEST_NAME, Plan, WorkOrder
from factory.gates.baseline_report import BaselineReport
from factory.people.skips import skip_of, skips_of
from factory.plans.rules.judgement import judge_before_work, stopping
from factory.plans.states.sources import Sources
from factory.repository.landing import land
from factory.repository.target import Target
from factory.runs.base import BASELINE_FOLDER, tell_tally, verify_base
from factory.runs.execution import imported_graph
from factory.runs.inputs import Ports, Run, setting_of
from factory.runs.plan_defect import tell_warnings
from factory.runs.preflight import indexes_folder
from factory.runs.record.folder import RunFolder
from factory.services.templates import prepared
from factory.specification.passages import Specification
from factory.system.process.stop import Stop, Stopped
from factory.system.removal import remove_tree
from factory.system.terminal.console import listed, visible


@dataclass(frozen=True)
class PlanExecution:
    """One pass over a plan.

    Attributes:
        plan: the plan.
        spec: the specification that it was made for; None if it keeps none.
        goal: where it lands.
        history: where it stands there.
        start: the files that the plan starts from.
        sources: the repository as it is now, with what has landed.
        records: the state of the build.
        out: the directory for run folders.
        settings: what the user asked for.
        ports: what executions touch beside the repository.
        footing: what it stands on; None if no work is left.
        watch: told what is done now.
        left: the work orders that failed in an earlier pass and are not tried anew.
    """

    plan: Plan
    spec: Specification | None
    goal: Target
    history: History
    start: frozenset[str]
    sources: Sources
    records: Records
    out: Path
    settings: BuildSettings
    ports: Ports
    footing: Footing | None
    watch: Watch = nobody
    left: frozenset[str] = frozenset()

    def run(self) -> Halt | None:
        """Execute all work orders that have not landed.

        Returns:
            Why it ends although work is left; None if all work orders have landed.

        Raises:
            Interrupted, WorkorderError, OSError: it can't begin, or can't go on.
        """
        goal, footing = self._goal(), self.footing
        if footing is None:
            return None
        defect = self._defect(footing)
        if defect is not None:
            return defect
        # Needed by the first attempt, and meanwhile other processes have the work.
        Thread(target=imported_graph).start()
        now, seconds = self.ports.clock.monotonic, self.settings.deadline_seconds
        deadline = None if seconds is None else now() + seconds
        with ExitStack() as stack:
            scratch = stack.enter_context(_emptied(indexes_folder(goal.git)))
            # Before the executor, which is left first: then no worker uses one any more.
            checkouts = stack.enter_context(Checkouts(goal.git, footing.sandbox))
            try:
                with _stop_at(deadline, now) as stop:
                    services = stack.enter_context(
                        prepared(footing.services, goal.git, footing.terms, self.ports.environment, stop)
                    )
                    report = self._verify(checkouts, replace(footing, services=services), stop)
            except Stopped:
                return Halt.at_deadline()
            executor = stack.enter_context(ThreadPoolExecutor(self.settings.jobs))
            mail: SimpleQueue[Mail] = SimpleQueue()
            worker = Worker(
                goal=goal,
                out=self.out,
                settings=self.settings.attempts,
                configuration=footing.configuration,
                user_base=self.history.base,
                known=report if self.settings.baseline_red else None,
                ports=self.ports,
                terms=footing.terms,
                environment=footing.environment,
                services=services,
                projects=footing.projects,
                plan=self.plan,
                spec=self.spec,
                place=checkouts.at,
                prices=self.records.state.known_prices,
                entered=mail.put,
                watch=mail.put,
            )
            trees = Trees(goal.git, scratch)
            environments = {None: footing.environment.hash} | {
                project.directory: project.environment.hash for project in footing.projects
            }
            passed, named = PassedTests(report.passed_tests, self.out), self.settings.attempts.co_authors
            queue = LandingQueue(goal, self.history, trees, environments, self._accepted, named, passed)
            self._tell_unrecorded(passed.unrecorded)
            return self._loop(queue, worker, mail, executor, deadline).run()

    def _goal(self) -> Target:
        """Where it lands, which is there if a part of the plan has landed already."""
        if not self.history.landed or self.goal.exists:
            return self.goal
        # What it is made from holds a part of the plan, so that much has landed on it.
        land(self.goal, self.goal.baseline)
        return replace(self.goal, exists=True)

    def _tell_unrecorded(self, orders: tuple[str, ...]) -> None:
        """Say of which work orders nobody knows which tests passed when they landed."""
        if orders:
            self.ports.progress(
                f"{visible(str(self.out))} does not tell which tests passed when {listed(orders)} landed:"
                " that tests in the files that they wrote vanish is not noticed"
            )

    def _defect(self, footing: Footing) -> Halt | None:
        """What the rules find wrong with the plan on these files, before anything is paid."""
        judged = judge_before_work(self.plan, self.start, self.sources, self.history.landed.keys())
        record_findings(self.out, self.plan, judged, self.settings.plan, self.goal.git.work_tree)
        halting = stopping(judged, self.plan, self.settings.attempts.warnings)
        waiting = [order for order in self.plan.work_orders if order.id not in self.history.landed]
        plan = self.settings.plan
        source = MANIFEST_NAME if (plan / MANIFEST_NAME).exists() else plan.name

        def run_of(order: WorkOrder) -> Run:
            return Run(
                order=order,
                target=self.goal,
                folder=RunFolder(self.out / run_id(order, self.goal.baseline), self.ports.clock),
                settings=self.settings.attempts,
                configuration=footing.configuration,
                ports=self.ports,
                terms=footing.terms,
                environment=footing.environment,
                services=footing.services,
                projects=footing.projects,
                plan=self.plan,
                lands=False,
            )

        halt = halt_by_rules(halting, source, waiting, run_of, self.records)
        if halt is None:
            tell_warnings(judged, source, self.ports.progress)
        return halt

    @property
    def _accepted(self) -> frozenset[RepoPath]:
        return frozenset(self.settings.attempts.accepted_configuration)

    def _verify(self, checkouts: Checkouts, footing: Footing, stop: Stop | None) -> BaselineReport:
        """What the repository's own verification says of the base, before anything is paid."""
        self.ports.progress("verifying the base before a model is asked")
        with checkouts.at(self.history.base) as opened:
            bench = self.ports.bench(
                opened,
                self.settings.attempts,
                footing.environment,
                footing.terms,
                stop,
                footing.services,
                footing.projects,
            )
            report = verify_base(
                replace(bench, begins=lambda step: self.watch(Doing("", step))),
                self.out / BASELINE_FOLDER,
                footing.configuration,
                self.plan.verify_contract,
                [order for order in self.plan.work_orders if order.id not in self.history.landed],
                red_accepted=self.settings.baseline_red,
                projects=footing.projects,
                trials=self.ports.trials,
                setting=setting_of(
                    self.history.base,
                    self.plan,
                    footing.configuration,
                    self.settings.attempts,
                    footing.terms,
                    footing.environment,
                    footing.projects,
                    self.ports.environment,
                ),
            )
        self.watch(Doing("", None))
        tell_tally(report, self.ports.progress)
        return report

    def _left_out(self) -> frozenset[str]:
        """What a person leaves out, put on record."""
        skips = skips_of(self.goal.git.common_dir)
        skipped = set()
        for order in self.plan.work_orders:
            skip = skip_of(skips, order)
            if skip is not None and order.id not in self.history.landed:
                self.records.order(order.id, OrderPhase.SKIPPED)
                self.ports.progress(f"{order.id}: {visible(skip.author)} says why: {visible(skip.reason)}")
                skipped.add(order.id)
        return frozenset(skipped)

    def _failed_before(self, skipped: frozenset[str]) -> dict[str, Halt]:
        """Why work orders have failed that are not tried anew, put on record."""
        failed = {}
        for order in self.records.state.orders:
            last = order.last_failure
            if last is None or order.id not in self.left - skipped - self.history.landed.keys():
                continue
            self.records.order(order.id, OrderPhase.FAILED)
            failure = Failure(
                stage=last.stage,
                failure_class=last.failure_class,
                message=last.message,
                excerpt=last.excerpt,
            )
            message = f"{order.id} failed before, at {last.stage}: {last.message}"
            latest = order.runs[-1].run_id if order.runs else None
            failed[order.id] = Halt(exit_code(failure), message, "", order.id, latest, failure)
        return failed

    def _loop(
        self,
        queue: LandingQueue,
        worker: Worker,
        mail: "SimpleQueue[Mail]",
        executor: Executor,
        deadline: float | None,
    ) -> Loop:
        skipped = self._left_out()
        failed = self._failed_before(skipped)
        standing = Standing.at_start(
            Dependencies.of(self.plan),
            self.history.landed,
            jobs=self.settings.jobs,
            max_attempts=self.settings.attempts.max_attempts,
            # What failed before keeps nothing from being tried that does not depend on it.
            keep_going=self.settings.keep_going or bool(failed),
            skipped=skipped,
            failed=failed,
        )
        now = self.ports.clock.monotonic
        return Loop(
            self.plan,
            standing,
            queue,
            self.records,
            worker,
            mail,
            executor,
            deadline=deadline,
            now=now,
            watch=self.watch,
        )


@contextmanager
def _emptied(folder: Path) -> Iterator[Path]:
    """A directory that is empty when the block begins, whatever a kill has left in it, and gone after it."""
    remove_tree(folder)
    folder.mkdir()
    try:
        yield folder
    finally:
        remove_tree(folder)


@contextmanager
def _stop_at(deadline: float | None, now: Callable[[], float]) -> Iterator[Stop | None]:
    """A stop that is asked for when the deadline comes within the block; None without a deadline."""
    if deadline is None:
        yield None
        return
    with Stop() as stop:
        timer = Timer(max(0.0, deadline - now()), stop.ask)
        timer.start()
        try:
            yield stop
        finally:
            timer.cancel()
