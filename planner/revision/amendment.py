"""What a revised plan is held against: the plan before, what of it has landed, what may change. Pure."""

from dataclasses import dataclass
from functools import cached_property

from factory.contract.identity import contract_hash
from factory.contract.strict_json import JsonValue
from factory.contract.work_order import Plan, WorkOrder, work_order_id
from factory.plans.commands.programs import read_command
from factory.plans.commands.strength import only_looks
from factory.plans.commands.words import UnsplittableCommand
from factory.plans.states.sources import Sources
from planner.revision.impact import Impact
from planner.revision.references import resolved


@dataclass(frozen=True)
class Amendment:
    """The conditions of a revision.

    Attributes:
        before: the plan that is revised.
        landed: the ids of its work orders that have landed.
        impact: what the specification that the new plan is for touches; None if there is none to compare.
        failing: the id of the work order that failed, a reason to change it and later ones; None if none did.
        within_impact: whether nothing but the impact is a reason to change a work order.
        must_change: whether a plan that does the same as before is no answer.
    """

    before: Plan
    landed: frozenset[str] = frozenset()
    impact: Impact | None = None
    failing: str | None = None
    within_impact: bool = False
    must_change: bool = False

    @cached_property
    def contents(self) -> tuple[str, ...]:
        """What each work order of the plan before says, as `content` has it."""
        return tuple(content(order) for order in self.before.work_orders)

    @cached_property
    def proven(self) -> tuple[str, ...]:
        """The ids of the requirements that had an acceptance command that shows more than existence."""
        proving = [order for order in self.before.work_orders if _proves(order)]
        names = {name for order in proving for name in order.requirements}
        return tuple(
            requirement.id
            for requirement in self.before.requirements
            if requirement.id in names and not requirement.withdrawn
        )

    def made(self, sources: Sources | None) -> frozenset[str]:
        """The files of landed work orders that the repository has; None for one that nobody looked at."""
        present = sources.files if sources is not None else frozenset()
        return present.intersection(
            path
            for order in self.before.work_orders
            if order.id in self.landed
            for path in order.allowed_files
        )

    @cached_property
    def untouched(self) -> tuple[int, ...]:
        """The indices of the work orders that have not landed and that there is no reason to change."""
        ids = [order.id for order in self.before.work_orders]
        if self.failing in ids:
            kept = ids[: ids.index(self.failing)]
        else:
            kept = ids if self.within_impact and self.impact is not None else []
        touched = set(self.landed)
        if self.impact is not None:
            touched.update(self.impact.dirty_orders, self.impact.affected_orders)
        return tuple(index for index, name in enumerate(kept) if name not in touched)

    @cached_property
    def may_move(self) -> bool:
        """Whether an untouched work order may get another number, as those before it may be more or fewer."""
        return self.impact is not None and not self.impact.is_empty

    def may_withdraw(self, requirement: str) -> bool:
        """Whether the specification asks for none of a requirement's quotes any more."""
        requirements = self.impact.requirements if self.impact is not None else ()
        return any(impact.id == requirement and not impact.kept for impact in requirements)

    def completed(self, document: JsonValue) -> JsonValue:
        """The plan that an answer means.

        With what its references stand for, and with the requirements that it leaves out and that landed work
        orders name, withdrawn.
        """
        if not isinstance(document, dict):
            return document
        document = resolved(document, self.before, self.landed)
        if not isinstance(listed := document.get("requirements"), list):
            return document
        names = [element.get("id") for element in listed if isinstance(element, dict)]
        named = {
            name
            for order in self.before.work_orders
            if order.id in self.landed
            for name in order.requirements
        }
        kept: list[JsonValue] = [
            requirement.model_copy(update={"withdrawn": True}).model_dump(mode="json")
            for requirement in self.before.requirements
            if requirement.id in named and requirement.id not in names
        ]
        return {**document, "requirements": [*listed, *kept]}


def content(order: WorkOrder) -> str:
    """A hash of a contract without its number: the same for a work order that only moved."""
    return contract_hash(order.model_copy(update={"id": work_order_id(1)}))


def _proves(order: WorkOrder) -> bool:
    for command in order.acceptance_commands:
        try:
            if not only_looks(read_command(command)):
                return True
        except UnsplittableCommand:
            # As when the new plan is judged.
            return True
    return False
