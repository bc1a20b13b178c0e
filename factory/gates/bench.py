"""Where checks run: a checkout, and how commands are run in it. The context of each check is made here.

A command's outcome says what it changed of what it must not.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from factory.attempt.brief import canonical_output, excerpt
from factory.checkout.workspace import Checkout
from factory.configuration.committed import file_at
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.environments.environment import Environment
from factory.gates.check import CheckContext, CommandResult, ServiceResult, UnreadyService
from factory.gates.confine import policy_for
from factory.gates.landing_tree import LandingTree
from factory.gates.step import Begins, Occasion, Step, unwatched
from factory.gates.verdict.judgement import kind_of, shortcoming, summary_of
from factory.gates.verdict.observed import observe
from factory.services.around import Around, Ended, Unready
from factory.services.resolved import NO_SERVICES, Services
from factory.system.files.tree import read_bounded, write_atomic
from factory.system.process.command import Command
from factory.system.process.launch import run
from factory.system.process.output import HEAD_BYTES, TAIL_BYTES
from factory.system.process.stop import Stop
from factory.system.sandbox.port import Confinement, Terms
from factory.system.terminal.console import visible

PROJECTS_FOLDER: Final = "projects"
"""Beside the artifacts of the root: those of each project, in folders of its name."""

_MAY_PASS: Final = (0, 1, 5)
"""The exit codes that may pass; of pytest also 1, where only new failures count, and 5, without any tests."""

_LOOKED_AT: Final = 200_000
"""How much of each end of an output is looked at for an excerpt, in bytes."""


@dataclass(frozen=True)
class Provisions:
    """What commands get in a project of the repository.

    Attributes:
        environment: the interpreters and packages that they find.
        variables: their environment variables, all of them.
    """

    environment: Environment
    variables: Mapping[str, str]


@dataclass(frozen=True)
class Bench:
    """A checkout, and how commands are run in it.

    Attributes:
        checkout: where they run.
        environment: the interpreters and packages that they find.
        variables: their environment variables, all of them.
        timeout_seconds: the time limit of each that has none of its own.
        terms: the sandbox that confines them, and what they get in it; None starts them as they are.
        stop: ends a command when another thread asks for that; None if none will.
        services: what runs beside each.
        projects: what commands get in the projects of the repository, by their directories.
        begins: told what its checks do now.
    """

    checkout: Checkout
    environment: Environment
    variables: Mapping[str, str]
    timeout_seconds: float
    terms: Terms | None = None
    stop: Stop | None = None
    services: Services = NO_SERVICES
    projects: Mapping[RepoPath, Provisions] = field(default_factory=dict)
    begins: Begins = unwatched

    @property
    def changes_user(self) -> bool:
        """Whether commands can run as another user: in a checkout of ours, where the sandbox decides that."""
        return self.terms is not None and self.terms.sandbox.changes_user and self.checkout.git.throw_away

    def environment_of(self, order: WorkOrder) -> Environment:
        """What the commands of a work order find."""
        return self.environment if order.project is None else self.projects[order.project].environment

    def with_variables(self, changed: Callable[[Mapping[str, str]], Mapping[str, str]]) -> "Bench":
        """The same with other environment variables, in every project.

        Args:
            changed: makes them of those that there are.
        """
        projects = {
            directory: replace(found, variables=changed(found.variables))
            for directory, found in self.projects.items()
        }
        return replace(self, variables=changed(self.variables), projects=projects)

    def on(self, occasion: Occasion) -> "Bench":
        """The same, whose checks say why they run."""

        def begins(step: Step) -> None:
            self.begins(replace(step, occasion=occasion))

        return replace(self, begins=begins)

    def context(self, order: WorkOrder, tree: str, folder: Path) -> CheckContext:
        """What the checks of an attempt may use.

        Args:
            order: the work order.
            tree: git's id of the tree that lands if they pass.
            folder: where artifacts go.
        """
        return self._context(order, tree, folder, exempt=order.verify_exempt)

    def baseline_context(self, folder: Path, *, exempt: bool) -> CheckContext:
        """What checks of the baseline may use, where nothing is promised yet.

        Args:
            folder: where artifacts go.
            exempt: whether the files can't be verified as a whole yet.
        """
        return self._context(None, self.checkout.baseline, folder, exempt=exempt)

    def _context(self, order: WorkOrder | None, tree: str, folder: Path, *, exempt: bool) -> CheckContext:
        checkout = self.checkout
        return CheckContext(
            order=order,
            exempt=exempt,
            tree=checkout.tree,
            landing=LandingTree(checkout.git, tree, () if order is None else order.allowed_files),
            before=partial(file_at, checkout.git, checkout.baseline),
            execute=self._executor(folder, None),
            temporary=checkout.temporary,
            folder=folder,
            within=partial(self._within, order, tree, folder, exempt),
            begins=self.begins,
        )

    def _within(
        self, order: WorkOrder | None, tree: str, folder: Path, exempt: bool, project: RepoPath
    ) -> CheckContext:
        """The context of a project."""
        checkout = self.checkout
        own = folder / PROJECTS_FOLDER / project
        own.mkdir(parents=True, exist_ok=True)

        def before(path: RepoPath) -> bytes | None:
            return file_at(checkout.git, checkout.baseline, RepoPath(f"{project}/{path}"))

        seen = None if order is None else seen_from(project, order)
        context = CheckContext(
            order=seen,
            exempt=exempt,
            tree=checkout.tree.below(project),
            landing=LandingTree(
                checkout.git, f"{tree}:{project}", () if seen is None else seen.allowed_files
            ),
            before=before,
            execute=self._executor(folder, project),
            temporary=checkout.temporary,
            folder=own,
            within=lambda _project: context,
            begins=self.begins,
        )
        return context

    def _executor(self, folder: Path, project: RepoPath | None) -> "Executor":
        found = Provisions(self.environment, self.variables) if project is None else self.projects[project]
        return Executor(
            self.checkout,
            found.environment,
            found.variables,
            self.timeout_seconds,
            folder,
            self.stop,
            self.terms,
            self.services,
            project,
        )


def seen_from(project: RepoPath, order: WorkOrder) -> WorkOrder:
    """A work order with the files below a project alone, by paths that are relative to it."""
    return order.model_copy(
        update={
            "allowed_files": tuple(
                RepoPath(path.removeprefix(f"{project}/"))
                for path in order.allowed_files
                if path.is_within(project)
            )
        }
    )


@dataclass(frozen=True)
class Executor:
    """Runs commands in one checkout.

    Attributes:
        checkout: where they run.
        environment: the interpreters and packages that they find.
        variables: their environment variables, all of them.
        timeout_seconds: the time limit of each that has none of its own.
        folder: where their output goes.
        stop: ends a command when another thread asks for that; None if none will.
        terms: the sandbox that confines them, and what they get in it; None starts them as they are.
        services: what runs beside each.
        project: the project of the repository in whose directory they run; None for the root.
    """

    checkout: Checkout
    environment: Environment
    variables: Mapping[str, str]
    timeout_seconds: float
    folder: Path
    stop: Stop | None = None
    terms: Terms | None = None
    services: Services = NO_SERVICES
    project: RepoPath | None = None

    def __call__(
        self,
        name: str,
        command: str,
        words: tuple[str, ...],
        timeout_seconds: float | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> CommandResult:
        """Run one command; see `Execute`."""
        name = name if self.project is None else f"{PROJECTS_FOLDER}/{self.project}/{name}"
        self.checkout.offer(self.environment.node_modules, self.environment.workspaces)
        output = self.folder / f"{name}.output.txt"
        around = Around(self.services, self.checkout.services)
        observed = observe(
            Command(
                argv=words,
                cwd=self.checkout.root / (self.project or ""),
                env={**self.variables, **(variables or {})},
                timeout_seconds=self._limit(timeout_seconds),
                stdout=output,
                stop=self.stop,
                confined=self._confinement(),
            ),
            around if self.services else run,
        )
        outcome, ours = observed.outcome, observed.command
        missing = ""
        if ours is not None and outcome.exit_code in _MAY_PASS:
            missing = visible(shortcoming(ours, observed.report, outcome.exit_code))
        # The stored part is bounded; the mark in its middle needs a little more room.
        printed = read_bounded(output, max_bytes=HEAD_BYTES + TAIL_BYTES + 1_000)
        return CommandResult(
            command=command,
            argv=words,
            exit_code=outcome.exit_code,
            signal=outcome.signal,
            timed_out=outcome.timed_out,
            not_started=outcome.not_started,
            seconds=round(outcome.seconds, 3),
            output_file=f"{name}.output.txt",
            output_bytes=outcome.output_bytes,
            excerpt=self._excerpt(printed),
            leftovers=outcome.leftovers,
            changed=self.checkout.changed_since_staging(),
            supervisor_killed=outcome.supervisor_killed,
            killed_outside=outcome.killed_outside,
            sandbox=self.terms.sandbox.level if self.terms else "",
            killed=outcome.killed,
            limit=self.terms.resources.description(outcome.killed) if outcome.killed and self.terms else "",
            sandbox_failed=visible(outcome.sandbox_failed) if outcome.sandbox_failed else None,
            verdict=kind_of(ours),
            summary=summary_of(observed.report),
            shortcoming=missing,
            report=observed.report,
            services=tuple(self._service_result(name, ended) for ended in around.ended),
            unready=self._unready(around.unready),
            project=self.project or "",
        )

    def _service_result(self, name: str, ended: Ended) -> ServiceResult:
        """What is recorded of a service; its log becomes a file beside the command's output."""
        log = self.folder / f"{name}.{ended.name}.log.txt"
        if ended.log.total:
            write_atomic(log, ended.log.text)
        return ServiceResult(
            name=ended.name,
            log_file=f"{name}.{ended.name}.log.txt" if ended.log.total else "",
            log_bytes=ended.log.total,
            died=ended.died,
            excerpt=self._excerpt(ended.log.text) if ended.died else "",
        )

    def _unready(self, unready: Unready | None) -> UnreadyService | None:
        if unready is None:
            return None
        service = self.services.get(unready.name)
        assert service is not None
        return UnreadyService(
            name=unready.name,
            why=visible(unready.why),
            words=() if service.preset else (*service.ordered.command, *service.ordered.prepare),
            planned=service.planned,
            excerpt=self._excerpt(unready.log),
        )

    def _excerpt(self, printed: bytes) -> str:
        return excerpt(canonical_output(_ends(printed), self.places))

    def _limit(self, own: float | None) -> float:
        wall = self.terms.resources.wall_seconds if self.terms is not None else None
        return min(self.timeout_seconds if own is None else own, wall or math.inf)

    def _confinement(self) -> Confinement | None:
        if self.terms is None:
            return None
        checkout = self.checkout
        policy = policy_for(checkout, self.environment, self.variables, self.terms, self.services)
        return Confinement(self.terms.sandbox, policy, self.terms.groups)

    @property
    def places(self) -> Mapping[str, str]:
        """Directories of this machine, and the names that stand for them in a prompt."""
        named = {
            self.checkout.home: "<home>",
            self.checkout.temporary: "<tmp>",
            self.checkout.services: "<services>",
            self.checkout.home.parent: "<tmp>",
            self.checkout.root: ".",
        }
        named |= dict.fromkeys(self.environment.visible, "<environment>")
        named[self.environment.python.parent.parent] = "<venv>"
        return {str(form): name for path, name in named.items() for form in (path, path.resolve())}


def _ends(printed: bytes) -> bytes:
    if len(printed) <= 2 * _LOOKED_AT:
        return printed
    return printed[:_LOOKED_AT] + b"\n" + printed[-_LOOKED_AT:]
