"""What a build stands on: what may refuse it is asked here, before anything is announced or paid."""

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from factory.builds.branch.history import History
from factory.builds.settings import BuildSettings
from factory.configuration.acceptance import require_acceptance
from factory.configuration.document import Configuration
from factory.configuration.in_force import configuration_of_one
from factory.contract.identity import contract_hash
from factory.contract.work_order import Plan
from factory.environments.environment import Environment
from factory.environments.projects import (
    Subproject,
    all_locked,
    opened,
    require_known,
    starting_project,
)
from factory.llm.ladder import prices_of
from factory.llm.spending.prices import Prices
from factory.people.approvals import require_approved
from factory.repository.readiness import require_ready
from factory.repository.target import Target
from factory.runs.base import try_services
from factory.runs.forbidden_prose import tell_prose
from factory.runs.inputs import Ports
from factory.services.resolved import NO_SERVICES, Services
from factory.system.sandbox.port import Sandbox, Terms


@dataclass(frozen=True)
class Footing:
    """What one pass over a plan stands on.

    Attributes:
        configuration: the repository's own, as it counts.
        prices: what answers cost.
        terms: the sandbox of every command; None for none.
        environment: what commands find beside their checkout.
        services: what runs beside every command.
        projects: those of the repository beside its root.
    """

    configuration: Configuration
    prices: Prices
    terms: Terms | None
    environment: Environment
    services: Services = NO_SERVICES
    projects: tuple[Subproject, ...] = ()

    @property
    def sandbox(self) -> Sandbox | None:
        """What commands run in."""
        return self.terms.sandbox if self.terms is not None else None


def with_locked_packages(
    plan: Plan, goal: Target, past: History, out: Path, settings: BuildSettings, ports: Ports
) -> Target:
    """The branch with the packages of a plan's base locked; what has landed needs none.

    Args:
        plan: the plan.
        goal: the branch.
        past: where the plan stands on it.
        out: the build's directory.
        settings: what the user asked for.
        ports: what is touched beside the repository.

    Raises:
        WorkorderError: a lock does not fit, none can be made, the repository is not ready for a landing, or a
            service can't be used.
    """
    if all(order.id in past.landed for order in plan.work_orders):
        return goal
    alone = settings.attempts.project
    configuration = configuration_of_one(goal.git, past.base, alone).configuration
    root = starting_project(goal.git, past.base, configuration, plan, out, alone)
    ready = partial(require_ready, in_place=False, may_delete_ignored=False)
    tried = partial(try_services, root, plan, settings.attempts, ports, False)
    return all_locked(goal, root, plan, ports, ready, tried)


def find_footing(
    plan: Plan,
    goal: Target,
    past: History,
    out: Path,
    settings: BuildSettings,
    ports: Ports,
    used: ExitStack,
) -> Footing | None:
    """What the build stands on, until `used` is closed; None if all work orders have landed.

    Raises:
        WorkorderError: the repository is not ready, a change of the user's configuration is not accepted, the
            plan is not approved, or the configuration, the model, the sandbox, the environment or a service
            can't be used.
    """
    pending = [order for order in plan.work_orders if order.id not in past.landed]
    if pending or not goal.exists:
        require_ready(goal, in_place=False, may_delete_ignored=False)
    if not pending:
        return None
    accepted = frozenset(settings.attempts.accepted_configuration)
    require_acceptance(goal.git, past.base, plan.work_orders, pending, accepted)
    alone = settings.attempts.project
    in_force = configuration_of_one(goal.git, past.base, alone)
    if settings.require_approval or in_force.configuration.require_approval:
        require_approved(goal.git, pending)
    require_known(pending, in_force.configuration.projects)
    price = settings.attempts.price_under(in_force.configuration)
    prices = Prices(price)
    # Now, because a model that can't be asked is known before anything is begun.
    if ports.agent is None and not all(order.fixed_files for order in pending):
        model = ports.model(None, price)
        prices = prices_of(model, price)
        for order in pending:
            diverted = ports.diverted(model, out, contract_hash(order), None)
            prices = Prices(prices.common, {**prices.by_model, **prices_of(diverted, price).by_model})
    terms = ports.terms(False, in_force.configuration)
    tell_prose(pending, goal.git, past.base, ports.progress)
    for line in in_force.passed_over:
        ports.progress(line)
    services = ports.services(in_force.configuration, plan, terms)
    root = starting_project(goal.git, past.base, in_force.configuration, plan, out, alone)
    environment = used.enter_context(ports.environment_for(root))
    projects = opened(root, plan, ports, used)
    return Footing(in_force.configuration, prices, terms, environment, services, projects)
