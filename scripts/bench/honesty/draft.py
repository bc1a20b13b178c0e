"""A plan that may be changed before it is tried: its manifest, its specification and a solution of it.

The sound ones lie in `plans/`: `spec.md`, the manifest as the planner wrote it, and `solution.txt`, the files
that each work order asks for.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

PLANS = Path(__file__).with_name("plans")
"""Of a command line, a library, a parser, an HTTP service, a pipeline, and a change of what exists."""

_FILE = re.compile(r"^=== (\S+) (\S+)\n", re.MULTILINE)
_COMPUTED = ("verify_exempt", "depends_on", "provenance")


@dataclass
class Draft:
    """One plan.

    Attributes:
        spec: the specification.
        manifest: the plan, without computed fields.
        base: the files that the repository holds before.
        solution: for each work order the files that solve it.
    """

    spec: str
    manifest: Json
    base: dict[str, str]
    solution: dict[str, dict[str, str]]

    @property
    def orders(self) -> list[Json]:
        """The work orders."""
        orders: list[Json] = self.manifest["work_orders"]
        return orders

    def order(self, number: int) -> Json:
        """The work order with this number."""
        return self.orders[number - 1]

    def requirement(self, name: str) -> Json:
        """The requirement with this id."""
        by_id: dict[str, Json] = {demand["id"]: demand for demand in self.manifest["requirements"]}
        return by_id[name]

    def arrange(self, *numbers: int) -> None:
        """Keep the work orders with these numbers, in this order, under new ids."""
        orders = [self.order(number) for number in numbers]
        solutions = [self.solution[order["id"]] for order in orders]
        for place, order in enumerate(orders, start=1):
            order["id"] = f"WO-{place:02d}"
        self.manifest["work_orders"] = orders
        self.solution = {order["id"]: files for order, files in zip(orders, solutions, strict=True)}


Change: TypeAlias = Callable[[Draft], None]


@dataclass(frozen=True)
class Case:
    """A change of one plan.

    Attributes:
        kind: what sort of change it is; the table has a row for each.
        plan: the name of the plan.
        bites: the number of the work order that can't pass, or proves nothing, as it stands in the changed
            plan.
        name: what is changed, in words.
        change: makes it.
    """

    kind: str
    plan: str
    bites: int
    name: str
    change: Change

    def drafted(self) -> Draft:
        """The plan with the change.

        Raises:
            ValueError: the change changes nothing.
        """
        draft, before = read_draft(self.plan), read_draft(self.plan)
        self.change(draft)
        if draft == before:
            raise ValueError(f"{self.plan}, {self.name}: nothing is changed")
        return draft


def read_draft(name: str) -> Draft:
    """The sound plan of this name."""
    folder = PLANS / name
    manifest = json.loads((folder / "WORK_ORDERS_MANIFEST.json").read_text(encoding="utf-8"))
    for order in manifest["work_orders"]:
        for field in _COMPUTED:
            order.pop(field, None)
    solution: dict[str, dict[str, str]] = {"BASE": {}}
    pieces = _FILE.split((folder / "solution.txt").read_text(encoding="utf-8"))[1:]
    for order_id, path, content in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        solution.setdefault(order_id, {})[path] = content
    spec = (folder / "spec.md").read_text(encoding="utf-8")
    return Draft(spec, manifest, solution.pop("BASE"), solution)
