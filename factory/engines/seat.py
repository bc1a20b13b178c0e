"""A worker's seat: one setting of one repository with all that its trials find, kept open between them."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from factory.checkout.pool import Checkouts
from factory.checkout.workspace import Checkout
from factory.configuration.document import OWN_FILE, Configuration
from factory.configuration.in_force import configuration_of_one
from factory.contract.errors import MachineProblem
from factory.contract.work_order import WorkOrder
from factory.engines.mirror import Mirror
from factory.environments.projects import opened, starting_project
from factory.gates.before.baseline import base_checks
from factory.gates.before.services import require_services
from factory.gates.before.toolchains import require_toolchains
from factory.gates.bench import Bench
from factory.gates.trial import CheckGroup
from factory.llm.port import Model, Parameters
from factory.llm.spending.prices import Price
from factory.repository.target import Target
from factory.runs.inputs import Ports, Run
from factory.runs.record.folder import RunFolder
from factory.runs.settings import AttemptSettings
from factory.services.templates import prepared
from factory.system.clock import SystemClock
from factory.system.process.stop import Stop
from factory.system.sandbox.further import further_places
from factory.system.sandbox.kernel.find import find_control_groups
from factory.system.sandbox.levels.choose import choose
from factory.system.sandbox.port import Terms
from factory.trials.conditions import Conditions, Setting, orders_of
from factory.trials.request import TrialRequest, VerifyBase

_NO_BRANCH: Final = "workorder"


class Seat:
    """What trials of one setting find on this machine; a block, at whose end nothing of it is left.

    Args:
        mirror: the repository, with the setting's root in it.
        setting: what to make here as it is with the coordinator.
        scratch: a directory for what is printed meanwhile; gone afterwards.

    Raises:
        WorkorderError: it can't be made here.
    """

    def __init__(self, mirror: Mirror, setting: Setting, scratch: Path) -> None:
        self.setting = setting
        self._git = mirror.git
        self._used = ExitStack()
        own = {name: value for name, value in os.environ.items() if name not in setting.passed}
        in_force = configuration_of_one(self._git, setting.root, setting.project)
        self._configuration = in_force.configuration
        self._terms = _terms(setting, self._configuration)
        self._ports = Ports(_nobody, SystemClock(), _untold, own | setting.passed)
        try:
            self._open(scratch)
        except BaseException:
            self._used.close()
            raise

    def close(self) -> None:
        """Leave nothing of it."""
        self._used.close()

    def _open(self, scratch: Path) -> None:
        setting, git, ports, terms = self.setting, self._git, self._ports, self._terms
        services = ports.services(self._configuration, setting.plan, terms)
        root = starting_project(
            git, setting.root, self._configuration, setting.plan, scratch, setting.project
        )
        self._environment = self._used.enter_context(ports.environment_for(root))
        self._projects = opened(root, setting.plan, ports, self._used)
        self._require_same()
        sandbox = terms.sandbox if terms is not None else None
        self._checkouts = self._used.enter_context(Checkouts(git, sandbox))
        self._services = self._used.enter_context(prepared(services, git, terms, ports.environment))
        with self._checkouts.at(setting.root) as checkout:
            bench = self._bench(checkout, None)
            require_toolchains(bench, orders_of(setting), scratch)
            require_services(bench, scratch)
        if not checkout.is_used:
            self._checkouts.note_clean(checkout)

    def _require_same(self) -> None:
        found = {"": self._environment.hash}
        found |= {project.directory: project.environment.hash for project in self._projects}
        for directory, wanted in self.setting.environments.items():
            if found.get(directory) != wanted:
                raise MachineProblem(
                    f"the environment {wanted[:12]} of the build can't be made here: with the same locks it"
                    f" is {found.get(directory, 'none')[:12]} ({self._environment.description})",
                    where=directory,
                    hint="give workers the interpreters, pytest and Workorder of the coordinator",
                )

    @contextmanager
    def conditions(
        self, request: TrialRequest, kept: tuple[str, ...], folder: Path, stop: Stop
    ) -> Iterator[Conditions]:
        """Within the block there is a checkout of a trial's base, and all that its checks need.

        Args:
            request: what is asked.
            kept: the ids of tests that passed before and must pass again.
            folder: gets the evidence.
            stop: ends commands when another thread asks for that.

        Raises:
            WorkorderError: there can be none.
        """
        with self._checkouts.at(request.base) as checkout:
            bench = self._bench(checkout, stop)
            if isinstance(request.question, VerifyBase):
                checks = base_checks(self._configuration, self._projects)
            else:
                assert request.order is not None
                checks = self._checks(request.base, request.order, kept, folder)
            yield Conditions(bench, checks, self.setting, kept)

    def clean_ahead(self, base: str) -> None:
        """Make a checkout that was used fit for the next trial, which most often has the same base."""
        self._checkouts.clean_ahead(base)

    def _bench(self, checkout: Checkout, stop: Stop | None) -> Bench:
        return self._ports.bench(
            checkout, self._settings, self._environment, self._terms, stop, self._services, self._projects
        )

    @property
    def _settings(self) -> AttemptSettings:
        setting = self.setting
        return AttemptSettings(
            max_attempts=1,
            parameters=Parameters(max_output_tokens=1),
            timeout_seconds=setting.timeout_seconds,
            passed_variables=tuple(setting.passed),
            verify="touched" if setting.touched_first else "all",
            project=setting.project,
        )

    def _checks(
        self, base: str, order: WorkOrder, kept: tuple[str, ...], folder: Path
    ) -> tuple[CheckGroup, ...]:
        ref = f"refs/heads/{_NO_BRANCH}"
        run = Run(
            order=order,
            target=Target(self._git, _NO_BRANCH, ref, base, exists=False, checkout=None),
            folder=RunFolder(folder, self._ports.clock),
            settings=self._settings,
            configuration=self._configuration,
            ports=self._ports,
            terms=self._terms,
            environment=self._environment,
            plan=self.setting.plan,
            known=self.setting.known,
            kept_tests=kept,
            lands=False,
            projects=self._projects,
        )
        return run.checks


def _terms(setting: Setting, configuration: Configuration) -> Terms | None:
    """The sandbox that the setting names, as it is on this machine.

    Raises:
        SandboxRefused: it does not work here.
    """
    if not setting.level:
        return None
    level = setting.level
    requested = "bwrap" if level == "bwrap-noproc" else level
    assert requested in ("bwrap", "landlock", "none")
    sandbox = choose(requested, allow_unsandboxed=True, environment=os.environ)  # type: ignore[arg-type]
    if sandbox.level != level:
        raise MachineProblem(
            f"the sandbox {level} is needed, and {sandbox.level} is what there is",
            where=level,
            hint="`factory doctor` tells what is missing",
        )
    found = find_control_groups()
    read = further_places(configuration.sandbox.read, os.environ, f"{OWN_FILE}, sandbox.read")
    return Terms(
        sandbox,
        setting.network,
        setting.resources,
        found.groups,
        found.bounds(sandbox.bounds_processes),
        read,
    )


def _nobody(_stop: Stop | None, _price: Price | None) -> Model:
    raise AssertionError("a worker asks no model")


def _untold(_text: str) -> None:
    """Nobody listens on a worker."""
