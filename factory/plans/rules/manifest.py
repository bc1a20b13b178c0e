"""A manifest: the raw document, and as much of it as matches the schema."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Final

from factory.contract.documents import SchemaProblem, schema_problems
from factory.contract.packages.planned import PlannedEnvironment
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import (
    WORK_ORDER_ID,
    Plan,
    Requirement,
    VerifyContract,
    WorkOrder,
    work_order_id,
)
from factory.plans.rules.placed import PlacedOrder, PlacedRequirement

MAX_VALUES: Final = 250_000
"""The most values (texts, numbers, lists, objects, …) in a manifest: room for thousands of work orders."""

MAX_QUOTES: Final = 5_000
"""The most quotes of a plan that are looked for in its specification."""

_SHOWN_ID_CHARS: Final = 40


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """A manifest.

    Attributes:
        document: the document as it was read.
    """

    document: JsonValue

    @cached_property
    def manifest(self) -> JsonObject:
        """The document if it is an object that is not too large, else an empty one."""
        return self.document if isinstance(self.document, dict) and not self.is_too_large else {}

    @cached_property
    def is_too_large(self) -> bool:
        """Whether the document holds more than `MAX_VALUES` values; one that does is not looked into."""
        waiting: list[JsonValue] = [self.document]
        count = 0
        while waiting and count <= MAX_VALUES:
            value = waiting.pop()
            count += 1
            if isinstance(value, list):
                waiting.extend(value[: MAX_VALUES + 1])
            elif isinstance(value, dict):
                waiting.extend(value.values())
        return count > MAX_VALUES

    @cached_property
    def raw_orders(self) -> tuple[tuple[int, JsonObject], ...]:
        """The elements of `work_orders` that are objects, with their index."""
        elements = self.manifest.get("work_orders")
        if not isinstance(elements, list):
            return ()
        return tuple((index, element) for index, element in enumerate(elements) if isinstance(element, dict))

    @cached_property
    def order_problems(self) -> dict[int, tuple[SchemaProblem, ...]]:
        """How each work order breaks the schema, its id aside: ids are judged by a rule of their own."""
        return {
            index: schema_problems(WorkOrder, _with_plain_id(index, raw)) for index, raw in self.raw_orders
        }

    @cached_property
    def orders(self) -> tuple[PlacedOrder, ...]:
        """The work orders that match the schema; one whose id does not has the id of its position."""
        return tuple(
            PlacedOrder(index, WorkOrder.model_validate(_with_plain_id(index, raw)))
            for index, raw in self.raw_orders
            if not self.order_problems[index]
        )

    @cached_property
    def requirements_problems(self) -> tuple[SchemaProblem, ...]:
        """How the list of requirements breaks the schema, with pointers from the document."""
        raw = self.manifest.get("requirements", [])
        if not isinstance(raw, list):
            return (SchemaProblem("/requirements", "must be a list", "tuple_type"),)
        return tuple(
            replace(problem, pointer=f"/requirements/{index}{problem.pointer}")
            for index, element in enumerate(raw)
            for problem in schema_problems(Requirement, element)
        )

    @cached_property
    def requirements(self) -> tuple[PlacedRequirement, ...]:
        """The requirements that are not withdrawn, if all match the schema, else none."""
        return tuple(placed for placed in self.all_requirements if not placed.requirement.withdrawn)

    @cached_property
    def all_requirements(self) -> tuple[PlacedRequirement, ...]:
        """The requirements if all of them match the schema, else none."""
        raw = self.manifest.get("requirements", [])
        if not isinstance(raw, list) or self.requirements_problems:
            return ()
        return tuple(
            PlacedRequirement(index, Requirement.model_validate(element)) for index, element in enumerate(raw)
        )

    @cached_property
    def quotes(self) -> tuple[str, ...]:
        """The quotes of these requirements, in order; of very many, the first."""
        quotes = (quote for placed in self.requirements for quote in placed.requirement.quotes)
        return tuple(islice(quotes, MAX_QUOTES))

    @cached_property
    def taken(self) -> dict[str, tuple[int, ...]]:
        """For each requirement id the indices of the work orders, broken ones included, that name it."""
        orders: dict[str, dict[int, None]] = {}
        for index, raw in self.raw_orders:
            names = raw.get("requirements")
            for name in names if isinstance(names, list) else ():
                if isinstance(name, str):
                    orders.setdefault(name, {})[index] = None
        return {name: tuple(indices) for name, indices in orders.items()}

    @cached_property
    def contract_problems(self) -> tuple[SchemaProblem, ...]:
        """How the verify contract breaks the schema."""
        raw = self.manifest.get("verify_contract")
        return () if raw is None else schema_problems(VerifyContract, raw)

    @cached_property
    def verify_contract(self) -> VerifyContract | None:
        """The verify contract, if there is one that matches the schema."""
        raw = self.manifest.get("verify_contract")
        return None if raw is None or self.contract_problems else VerifyContract.model_validate(raw)

    @cached_property
    def environment_problems(self) -> tuple[SchemaProblem, ...]:
        """How the environment breaks the schema."""
        raw = self.manifest.get("environment")
        return () if raw is None else schema_problems(PlannedEnvironment, raw)

    @cached_property
    def environment(self) -> PlannedEnvironment | None:
        """The environment, if there is one that matches the schema."""
        raw = self.manifest.get("environment")
        return None if raw is None or self.environment_problems else PlannedEnvironment.model_validate(raw)

    @cached_property
    def plan(self) -> Plan | None:
        """The whole plan if all its work orders, its verify contract and its environment match the schema."""
        elements = self.manifest.get("work_orders")
        if not isinstance(elements, list) or not elements or len(self.orders) != len(elements):
            return None
        if self.contract_problems or self.environment_problems:
            return None
        return Plan(
            environment=self.environment,
            verify_contract=self.verify_contract,
            requirements=tuple(placed.requirement for placed in self.all_requirements),
            work_orders=tuple(placed.order for placed in self.orders),
        )

    def order_name(self, pointer: str) -> str:
        """The id of the work order that `pointer` leads into, as the document has it; empty if none."""
        parts = pointer.split("/")
        if len(parts) < 3 or parts[1] != "work_orders":
            return ""
        written = self._ids.get(parts[2])
        return written[:_SHOWN_ID_CHARS] if isinstance(written, str) else ""

    @cached_property
    def _ids(self) -> dict[str, JsonValue]:
        return {str(index): raw.get("id") for index, raw in self.raw_orders}


def _with_plain_id(index: int, raw: JsonObject) -> JsonObject:
    written = raw.get("id")
    if not isinstance(written, str) or WORK_ORDER_ID.fullmatch(written):
        return raw
    return {**raw, "id": work_order_id(index + 1)}
