"""The level `none`: limits, and nothing else. Only for users who said so in as many words."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from factory.system.compiled import compiled
from factory.system.sandbox.levels.descriptors import telling
from factory.system.sandbox.levels.orders import (
    ENTER,
    Orders,
    bound_of_shared_user,
    interpreter,
    limits,
    limits_of_shared_user,
)
from factory.system.sandbox.policy import Policy
from factory.system.sandbox.port import Prepared

if TYPE_CHECKING:
    from factory.system.process.command import Command


@dataclass(frozen=True)
class Unconfined:
    """No sandbox: the command may do whatever the user may do."""

    @property
    def level(self) -> str:
        return "none"

    @property
    def version(self) -> str:
        return ""

    @property
    def gaps(self) -> tuple[str, ...]:
        return ("commands can read, change and send whatever the user can",)

    @property
    def bounds_processes(self) -> str:
        return bound_of_shared_user()

    @property
    def changes_user(self) -> bool:
        return False

    def owner_of(self, root: Path) -> int | None:
        return None

    def wrap(self, command: "Command", policy: Policy) -> Prepared:
        report_fd, telling_end = telling()
        orders = Orders(limits(policy.resources), limits_of_shared_user(policy.resources))
        argv = orders.argv(interpreter(), compiled(ENTER), telling_end, command.argv)
        return Prepared(argv, (telling_end,), report_fd)
