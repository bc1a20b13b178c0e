"""Under which conditions trials run: as they are at hand here, and as values that others can make again."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import JsonValue
from factory.contract.work_order import Plan, WorkOrder
from factory.gates.baseline_report import BaselineReport
from factory.gates.bench import Bench
from factory.gates.trial import CheckGroup
from factory.system.sandbox.policy import Network, Resources


class Setting(BaseModel):
    """What another machine needs to run trials as this one would.

    Attributes:
        root: the full id of the commit whose configuration and locked packages count.
        plan: the plan, for the packages and services that it declares and the programs that its commands
            start; None if there is none.
        project: the directory that is the only project; None for the configuration's.
        touched_first: whether only the projects that a work order touches are verified before acceptance.
        timeout_seconds: the time limit of each command that has none of its own.
        passed: further environment variables that commands see.
        level: the sandbox of every command; empty for none.
        network: which network commands get.
        resources: how much each may use.
        known: what the baseline already failed, if that is accepted.
        checks: SHA-256 of the configurations of the repository and its projects.
        environments: the hashes of the environments, by the directories of projects; empty for the root.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    root: str
    plan: Plan | None = None
    project: RepoPath | None = None
    touched_first: bool = True
    timeout_seconds: float
    passed: dict[str, str] = {}
    level: str = ""
    network: Network = "none"
    resources: Resources = Resources()
    known: BaselineReport | None = None
    checks: str = ""
    environments: dict[str, str] = {}


def unheard(_facts: dict[str, JsonValue]) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class Conditions:
    """Where and how trials of one work order run.

    Attributes:
        bench: a checkout of their base, and how commands are run in it.
        checks: what an attempt must pass.
        setting: the same as values, alike for all work orders of a build.
        kept_tests: the ids of tests that passed before and must pass again.
        told: gets the facts of each trial that did not simply run here, for the record; called by whoever
            asks.
    """

    bench: Bench
    checks: tuple[CheckGroup, ...]
    setting: Setting
    kept_tests: tuple[str, ...] = ()
    told: Callable[[dict[str, JsonValue]], None] = unheard

    def groups(self, names: tuple[str, ...]) -> tuple[CheckGroup, ...]:
        """The parts of these names, in the order of the checks."""
        return tuple(group for group in self.checks if group.name in names)


def orders_of(setting: Setting) -> tuple[WorkOrder, ...]:
    """The work orders of a setting's plan."""
    return setting.plan.work_orders if setting.plan is not None else ()
