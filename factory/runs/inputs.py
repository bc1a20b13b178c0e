"""What a run is given, all of it: what it touches outside, and its work order, settings and target."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from factory.attempt.commit.authorship import Authorship
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.configuration.committed import file_at
from factory.configuration.document import Configuration
from factory.configuration.guarded_parts import Guard
from factory.contract.canonical import canonical_json, dump, sha256_hex
from factory.contract.identity import contract_hash, run_id
from factory.contract.note import notes_hash
from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan, Requirement, WorkOrder, requirements_of
from factory.environments.environment import Environment
from factory.environments.locking import with_locked_packages
from factory.environments.projects import Subproject
from factory.environments.provide import Project, environment_for
from factory.gates.baseline_report import BaselineReport
from factory.gates.bench import Bench, Provisions
from factory.gates.checks.projects import touched
from factory.gates.checks.registry import registry
from factory.gates.environment import gate_environment
from factory.gates.landing_tree import LandingTree
from factory.gates.step import Begins, unwatched
from factory.gates.trial import CheckGroup
from factory.languages.features import lacking
from factory.languages.table import languages_in
from factory.llm.agents.workplace import Workplace
from factory.llm.ladder import Diverted
from factory.llm.ledger.store import RecordedModel
from factory.llm.port import Model, identity
from factory.llm.spending.prices import Price
from factory.people.hints import Hint, others_for
from factory.repository.target import Target
from factory.runs.people.work import Work
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import (
    BoundsRecord,
    EnvironmentRecord,
    LanguageRecord,
    ProjectRecord,
    RunDocument,
    SandboxRecord,
    ServiceRecord,
    SettingsRecord,
)
from factory.runs.settings import AttemptSettings
from factory.services.resolution import resolve
from factory.services.resolved import NO_SERVICES, Services
from factory.specification.passages import Passages, Specification
from factory.system.clock import Clock
from factory.system.process.stop import Stop
from factory.system.sandbox.policy import Resources
from factory.system.sandbox.port import Terms
from factory.system.terminal.console import visible
from factory.trials.conditions import Conditions, Setting
from factory.trials.local import LocalTrials
from factory.trials.port import Trials


@dataclass(frozen=True)
class Ports:
    """What an execution touches beside the repository.

    Attributes:
        model: makes the model when everything else is known to be in order. It heeds the stop, if there is
            one; the price is what the repository says that the model costs.
        clock: the time, for records.
        progress: tells the user what happens now.
        environment: the factory's own environment variables.
        terms: finds the sandbox that works here, told whether commands work in the user's own checkout, and
            what the repository configures.
        agent: makes the agent that is the engineer, given where it works; None where the model is.
        other: makes the model that a person names for a single attempt, and what they say that it costs; None
            where nobody is asked.
        trials: runs the checks.
    """

    model: Callable[[Stop | None, Price | None], Model]
    clock: Clock
    progress: Callable[[str], None]
    environment: Mapping[str, str]
    terms: Callable[[bool, Configuration], Terms | None] = lambda _in_place, _configuration: None
    agent: Callable[[Workplace, Stop | None, Price | None], Model] | None = None
    other: Callable[[Hint, Stop | None], tuple[RecordedModel, Price | None]] | None = None
    trials: Trials = field(default_factory=LocalTrials)

    def diverted(self, model: Model, out: Path, contract: str, stop: Stop | None) -> Model:
        """The model, and in attempts of which a person says so another one.

        Args:
            model: who is asked otherwise.
            out: the output directory, in which they said it.
            contract: the hash of the contract of the work order that is attempted.
            stop: ends a call when another thread asks for that.

        Raises:
            WorkorderError: what was said can't be read, or that model can't be asked.
        """
        said = others_for(out, contract)
        if not said or self.other is None:
            return model
        others: dict[int, RecordedModel] = {}
        named: dict[str, Price] = {}
        for attempt, hint in said.items():
            others[attempt], price = self.other(hint, stop)
            if price is not None:
                named[identity(others[attempt])] = price
        return Diverted(model, others, named)

    def environment_for(self, project: Project) -> AbstractContextManager[Environment]:
        """The interpreters and packages of a project, which are there within the block.

        Raises:
            WorkorderError: see `provide.environment_for`.
        """
        return environment_for(project, own=self.environment, progress=self.progress)

    def locked(
        self,
        goal: Target,
        project: Project,
        require_ready: Callable[[], None],
        require_startable: Callable[[Environment], None],
    ) -> Target:
        """The target with a project's packages locked, by a commit that is landed if something is not.

        Args:
            goal: the branch.
            project: the project.
            require_ready: refuses a repository that is not ready for a landing.
            require_startable: refuses what can't run with the environment that is locked.

        Raises:
            WorkorderError: see `locking.with_locked_packages`.
        """
        return with_locked_packages(
            goal,
            project,
            require_ready,
            require_startable,
            own=self.environment,
            progress=self.progress,
        )

    def services(self, configuration: Configuration, plan: Plan | None, terms: Terms | None) -> Services:
        """What commands find beside them.

        Raises:
            SandboxRefused, MachineProblem: it can't run here.
        """
        planned = plan.services if plan is not None else ()
        return resolve(configuration.services, planned, terms, self.environment)

    def bench(
        self,
        checkout: Checkout,
        settings: AttemptSettings,
        environment: Environment,
        terms: Terms | None,
        stop: Stop | None,
        services: Services = NO_SERVICES,
        projects: Sequence[Subproject] = (),
    ) -> Bench:
        """A checkout, and how commands are run in it.

        Raises:
            WorkorderError: the checkout is the user's, and the environment can't be shown there.
        """
        # Each command is offered those of its project; here, so that a checkout that can't is known before.
        for used in (environment, *(project.environment for project in projects)):
            checkout.offer(used.node_modules, used.workspaces)

        def provisions(found: Environment) -> Provisions:
            variables = gate_environment(
                self.environment,
                found,
                home=checkout.home,
                temporary=checkout.temporary,
                passed=settings.passed_variables,
            )
            return Provisions(found, variables)

        return Bench(
            checkout,
            environment,
            provisions(environment).variables,
            settings.timeout_seconds,
            terms,
            stop,
            services,
            {project.directory: provisions(project.environment) for project in projects},
        )


@dataclass(frozen=True)
class Run:
    """One work order on one baseline.

    Attributes:
        order: the work order.
        target: where it starts and lands.
        folder: where its artifacts go.
        settings: how it is attempted.
        configuration: the repository's own.
        ports: what it touches beside the repository.
        terms: the sandbox of every command; None for none.
        environment: what commands find beside their checkout; None where none is run.
        services: what runs beside every command.
        user_base: the commit that holds the files as the user had them, before any work order of a plan; None
            where that is the baseline.
        plan: the plan that the work order belongs to; None if it is not at hand.
        spec: the specification that the plan was made for; None if the plan keeps none.
        known: what the baseline already failed, if that is accepted.
        kept_tests: the ids of tests that passed before and must pass again.
        in_place: whether it works in the user's checkout; None for a build, which never does.
        lands: whether a passed attempt is landed; else it only counts as passed.
        entered: told the node and the state when the graph enters a node.
        stop: ends it when another thread asks for that.
        projects: those of the repository beside its root.
        begins: told what is done now.
        work: what a person did, which is taken in the place of a model's answer; None to ask. The work order
            may write what they were allowed.
    """

    order: WorkOrder
    target: Target
    folder: RunFolder
    settings: AttemptSettings
    configuration: Configuration
    ports: Ports
    terms: Terms | None
    environment: Environment | None
    services: Services = NO_SERVICES
    user_base: str | None = None
    plan: Plan | None = None
    spec: Specification | None = None
    known: BaselineReport | None = None
    kept_tests: tuple[str, ...] = ()
    in_place: bool | None = None
    lands: bool = True
    entered: Callable[[str, RunState], None] = lambda _node, _state: None
    stop: Stop | None = None
    projects: tuple[Subproject, ...] = ()
    begins: Begins = unwatched
    work: Work | None = None

    @property
    def planned(self) -> WorkOrder:
        """The work order as the plan has it."""
        return self.order if self.work is None else self.work.order

    @cached_property
    def contract(self) -> str:
        """The work order's contract hash."""
        return contract_hash(self.planned)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """Those that the work order takes, with the specification's words; none without a plan."""
        return requirements_of(self.order, self.plan.requirements) if self.plan is not None else ()

    @cached_property
    def passages(self) -> Passages | None:
        """What the specification says of the work order's requirements; None if there is none at hand."""
        if self.spec is None or not self.requirements:
            return None
        quotes = {asked.id: asked.quotes for asked in self.requirements}
        return self.spec.passages(
            quotes,
            told="\n".join(filter(None, (self.order.intent, self.order.notes))),
            others={
                asked.id: asked.quotes
                for asked in (self.plan.requirements if self.plan is not None else ())
                if asked.id not in quotes
            },
        )

    @cached_property
    def run_id(self) -> str:
        """Its name."""
        return run_id(self.planned, self.target.baseline, self.work.name if self.work is not None else "")

    @property
    def price(self) -> Price | None:
        """What the user, or else the repository, says that the model costs."""
        return self.settings.price_under(self.configuration)

    @property
    def checks(self) -> tuple[CheckGroup, ...]:
        """What an attempt must pass."""
        declares = bool(self.order.provides or self.order.consumes)
        directories = [project.directory for project in self.projects]
        return registry(
            self.configuration,
            self.known,
            interfaces=declares,
            kept=self.kept_tests,
            environment=self.environment,
            projects=self.projects,
            at_once=touched(self.order, directories) if self.settings.verify == "touched" else None,
        )

    @property
    def document(self) -> RunDocument:
        """What is recorded of it before it starts."""
        return RunDocument(
            run_id=self.run_id,
            contract=self.contract,
            baseline=self.target.baseline,
            branch=self.target.branch,
            repository=visible(str(self.target.git.common_dir)),
            pid=os.getpid(),
            sandbox=sandbox_record(self.terms),
            environment=environment_record(self.environment) if self.environment is not None else None,
            projects=projects_record(self.projects),
            services=services_record(self.services),
            settings=settings_record(self.settings, in_place=self.in_place),
            languages=self._languages,
            person=self.work.adoption.author if self.work is not None else "",
        )

    @cached_property
    def _languages(self) -> tuple[LanguageRecord, ...]:
        """What is not offered for the languages of the repository and of what the work order may write."""
        files = [*LandingTree(self.target.git, self.target.baseline), *self.order.allowed_files]
        gaps = [(language.name, lacking(language)) for language in languages_in(files)]
        return tuple(LanguageRecord(name=name, lacks=lacks) for name, lacks in gaps if lacks)

    @property
    def guard(self) -> Guard:
        """What keeps the user's configuration."""
        at_base = partial(file_at, self.target.git, self.user_base or self.target.baseline)
        return Guard(at_base, self.accepted)

    @property
    def accepted(self) -> frozenset[RepoPath]:
        """The files of the user's configuration whose change a person accepted."""
        return frozenset(self.settings.accepted_configuration)

    @property
    def authorship(self) -> Authorship:
        """Whom its commit names, but for the model that it asks."""
        return Authorship(
            by_person=self.work is not None,
            widened=self.work.adoption.widened if self.work is not None else (),
            co_authors=self.settings.co_authors,
        )

    def bench(self, checkout: Checkout) -> Bench:
        """The checkout, with what its commands get."""
        assert self.environment is not None
        bench = self.ports.bench(
            checkout,
            self.settings,
            self.environment,
            self.terms,
            self.stop,
            self.services,
            self.projects,
        )
        return replace(bench, begins=self.begins)

    def conditions(self, bench: Bench) -> Conditions:
        """Where and how the work order's trials run.

        Args:
            bench: the checkout at hand, with what its commands get.
        """
        assert self.environment is not None
        setting = setting_of(
            self.user_base or self.target.baseline,
            self.plan,
            self.configuration,
            self.settings,
            self.terms,
            self.environment,
            self.projects,
            self.ports.environment,
        )
        setting = setting.model_copy(update={"known": self.known})
        return Conditions(bench, self.checks, setting, self.kept_tests, self._tell_trial)

    def _tell_trial(self, facts: JsonObject) -> None:
        self.folder.event("tried", **facts)

    def entering(self, node: str, state: RunState) -> None:
        """What comes before each node.

        Raises:
            Stopped: `stop` asked for it.
        """
        if self.stop is not None:
            self.stop.heed()
        self.entered(node, state)


def setting_of(
    root: str,
    plan: Plan | None,
    configuration: Configuration,
    settings: AttemptSettings,
    terms: Terms | None,
    environment: Environment,
    projects: Sequence[Subproject],
    own: Mapping[str, str],
) -> Setting:
    """What other machines need to run trials as this one would, of a base of which nothing is known yet.

    Args:
        root: the commit whose configuration and locked packages count.
        plan: the plan; None if there is none.
        configuration: the repository's own, as it counts.
        settings: how work orders are attempted.
        terms: the sandbox of every command; None for none.
        environment: what commands find beside their checkout.
        projects: those of the repository beside its root.
        own: the factory's own environment variables.
    """
    return Setting(
        root=root,
        plan=plan,
        project=settings.project,
        touched_first=settings.verify == "touched",
        timeout_seconds=settings.timeout_seconds,
        passed={name: own[name] for name in settings.passed_variables if name in own},
        level=terms.sandbox.level if terms is not None else "",
        network=terms.network if terms is not None else "none",
        resources=terms.resources if terms is not None else Resources(),
        checks=sha256_hex(
            canonical_json(
                [
                    ["", dump(configuration)],
                    *([project.directory, dump(project.configuration)] for project in projects),
                ]
            )
        ),
        environments={"": environment.hash}
        | {project.directory: project.environment.hash for project in projects},
    )


def sandbox_record(terms: Terms | None) -> SandboxRecord | None:
    """What commands run in, as it is recorded."""
    if terms is None:
        return None
    return SandboxRecord(
        level=terms.sandbox.level,
        version=terms.sandbox.version,
        gaps=terms.sandbox.gaps,
        network=terms.network,
        resources=terms.resources,
        bounds=BoundsRecord(processes=terms.bounds.processes, memory=terms.bounds.memory),
        read=tuple(visible(str(place)) for place in terms.read),
    )


def environment_record(environment: Environment) -> EnvironmentRecord:
    """What commands find beside their checkout, as it is recorded."""
    return EnvironmentRecord(
        hash=environment.hash, interpreters=environment.interpreters, packages=len(environment.packages)
    )


def projects_record(projects: Sequence[Subproject]) -> tuple[ProjectRecord, ...]:
    """The projects beside the root, as they are recorded."""
    return tuple(
        ProjectRecord(directory=project.directory, environment=environment_record(project.environment))
        for project in projects
    )


def services_record(services: Services) -> tuple[ServiceRecord, ...]:
    """What commands find beside them, as it is recorded."""
    return tuple(
        ServiceRecord(
            name=service.ordered.name,
            preset=service.preset,
            version=visible(service.version),
            declared_by="plan" if service.planned else "configuration",
            variables=tuple(sorted(service.ordered.set)),
            port=service.ordered.port or None,
        )
        for service in services.all
    )


def settings_record(settings: AttemptSettings, *, in_place: bool | None = None) -> SettingsRecord:
    """The settings as they are recorded."""
    return SettingsRecord(
        llm=visible(settings.llm),
        max_attempts=settings.max_attempts,
        timeout_seconds=settings.timeout_seconds,
        temperature=settings.parameters.temperature,
        max_output_tokens=settings.parameters.max_output_tokens,
        knowledge=notes_hash(settings.notes),
        in_place=in_place,
        accepted_configuration=settings.accepted_configuration,
    )
