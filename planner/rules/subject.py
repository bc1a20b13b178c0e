"""What the planner's rules look at: a manifest, its specification, and the plan that it amends."""

import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from pydantic import ValidationError

from factory.contract.services.declared import Service
from factory.plans.rules import rule
from factory.plans.states.packages import NamedPackages
from planner.plan.objections import Objection
from planner.revision.amendment import Amendment
from planner.revision.references import references
from planner.specification.spec import Spec


@dataclass(frozen=True, kw_only=True)
class Subject(rule.Subject):
    """A manifest under examination, and all that it is held against.

    Attributes:
        spec: the specification that the plan is for, if it is known.
        amendment: what the plan amends; None of a plan of its own.
        allowed_packages: the names of packages that a person allows beside those that the plan remembers.
        objections: what a second opinion on the plan says.
    """

    spec: Spec | None = None
    amendment: Amendment | None = None
    allowed_packages: Collection[str] = ()
    objections: tuple[Objection, ...] = ()

    @cached_property
    def schema_exceptions(self) -> frozenset[str]:
        """The elements of a model's answer that refer to nothing; E211 tells of them."""
        if self.amendment is None and not self.is_new:
            return frozenset()
        return frozenset(pointer for pointer, _ in references(self.manifest))

    @property
    def packages_allowed(self) -> tuple[str, ...]:
        """The names of the packages that a person allows or has allowed."""
        remembered = self.manifest.get("allowed_packages")
        names = remembered if isinstance(remembered, list) else ()
        return (*self.allowed_packages, *(name for name in names if isinstance(name, str)))

    @cached_property
    def services(self) -> tuple[tuple[int, Service], ...]:
        """The services that match the schema, with their places; of the others E005 tells."""
        raw = self.manifest.get("services")
        listed = []
        for number, element in enumerate(raw if isinstance(raw, list) else ()):
            with suppress(ValidationError):
                listed.append((number, Service.model_validate(element)))
        return tuple(listed)

    @cached_property
    def named_packages(self) -> NamedPackages:
        """The packages that people have named."""
        specification = self.spec.text if self.spec is not None else ""
        return NamedPackages(specification, self.sources, self.packages_allowed)

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
