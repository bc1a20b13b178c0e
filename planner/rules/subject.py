"""What the planner's rules look at: a manifest, its specification, and the plan that it amends."""

import re
from dataclasses import dataclass
from functools import cached_property

from factory.plans.rules import rule
from planner.revision.amendment import Amendment
from planner.revision.references import references
from planner.specification.spec import Spec


@dataclass(frozen=True, kw_only=True)
class Subject(rule.Subject):
    """A manifest under examination, and all that it is held against.

    Attributes:
        spec: the specification that the plan is for, if it is known.
        amendment: what the plan amends; None of a plan of its own.
    """

    spec: Spec | None = None
    amendment: Amendment | None = None

    @cached_property
    def schema_exceptions(self) -> frozenset[str]:
        """The elements of a model's answer that refer to nothing; E211 tells of them."""
        if self.amendment is None and not self.is_new:
            return frozenset()
        return frozenset(pointer for pointer, _ in references(self.manifest))

    def may_lack_conditions(self, order_id: str) -> bool:
        """As of a plan of its own; in a revision a work order may lack what it lacked before."""
        if self.amendment is None:
            return super().may_lack_conditions(order_id)
        before = {order.id: order for order in self.amendment.before.work_orders}
        return not self.is_new or (order_id in before and not before[order_id].declares_conditions)

    def may_say(self, prose: str) -> bool:
        """As of a plan of its own; in a revision those words may stand that the plan before has."""
        if self.amendment is None:
            return super().may_say(prose)
        return any(prose in order.forbidden for order in self.amendment.before.work_orders)

    def is_said(self, value: str) -> bool:
        """Whether the specification says this word for word, whatever its line breaks."""
        sought = re.escape(" ".join(value.split()))
        return bool(sought) and re.search(rf"(?<!\w){sought}(?!\w)", self._words) is not None

    @cached_property
    def _words(self) -> str:
        return " ".join(self.spec.text.split()) if self.spec is not None else ""
