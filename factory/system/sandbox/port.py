"""What a level of the sandbox is to those who start commands with it."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from factory.contract.errors import WorkorderError
from factory.system.sandbox.kernel.bounds import Bounds
from factory.system.sandbox.kernel.group import ControlGroups
from factory.system.sandbox.policy import Network, Policy, Resources

if TYPE_CHECKING:
    from factory.system.process.command import Command


OWN_USER: Final = "a user of its own"
"""Bounds processes where the command is the only one to run as its user, or in its namespace of users."""

SHARED_USER: Final = "your user's limit"
"""Bounds processes together with all others of the user, so that it must leave room for them."""


class SandboxRefused(WorkorderError):
    """No sandbox that was asked for works here, so nothing may be run."""


@dataclass(frozen=True)
class Prepared:
    """A wrapped command; whoever starts it closes its descriptors.

    Attributes:
        argv: the program that confines and then becomes the command.
        inherited: descriptors that it must inherit.
        report_fd: where it tells that the command began, or why it could not; see `begun`.
        own_processes: whether the command sees and reaches no processes but its own; what it leaves behind
            is then ended by the sandbox, uncounted.
        clear: removes what the command left outside of its places; called when nothing of it lives any more.
    """

    argv: tuple[str, ...]
    inherited: tuple[int, ...]
    report_fd: int
    own_processes: bool = False
    clear: Callable[[], None] = lambda: None

    def close_inherited(self) -> None:
        """Close our copies of what the program has inherited."""
        for descriptor in self.inherited:
            os.close(descriptor)


class Sandbox(Protocol):
    """One way to confine a command."""

    @property
    def level(self) -> str:
        """`bwrap`, `bwrap-noproc`, `landlock` or `none`."""
        ...

    @property
    def version(self) -> str:
        """The version of what confines; empty if it has none."""
        ...

    @property
    def gaps(self) -> tuple[str, ...]:
        """What this level does not keep a command from, each a clause for people."""
        ...

    @property
    def bounds_processes(self) -> str:
        """By what the kernel bounds processes without a control group; empty if by nothing."""
        ...

    @property
    def changes_user(self) -> bool:
        """Whether a command can run as another user than the one before it; see `Policy.other_user`.

        Where it runs as the owner of a throw-away checkout, that is another one then.
        """
        ...

    def owner_of(self, root: Path) -> int | None:
        """The user whom a throw-away checkout at `root` must belong to for commands; None for ours.

        Whoever makes the checkout hands it over, see `ownership`.
        """
        ...

    def wrap(self, command: "Command", policy: Policy) -> Prepared:
        """The command that runs `command` confined.

        Raises:
            OSError: the places of the policy can't be prepared.
        """
        ...


@dataclass(frozen=True)
class Confinement:
    """The sandbox that a command runs in, what it allows, and where it gets a control group, if anywhere."""

    sandbox: Sandbox
    policy: Policy
    groups: ControlGroups | None = None


@dataclass(frozen=True)
class Terms:
    """The sandbox of a run or a build, and what every command gets in it.

    Attributes:
        sandbox: what confines.
        network: which network commands get.
        resources: how much each may use.
        groups: where each gets a control group of its own; None if nowhere.
        bounds: what keeps the limits on processes and memory.
        read: further directories that commands may read.
    """

    sandbox: Sandbox
    network: Network = "none"
    resources: Resources = field(default_factory=Resources)
    groups: ControlGroups | None = None
    bounds: Bounds = field(default_factory=Bounds)
    read: tuple[Path, ...] = ()


def begun(report: bytes) -> int | None:
    """What the confining program said, read to its end.

    Returns:
        0 if the command was started, else the error number for which it could not be.
        None if the sandbox itself failed: then the command never ran.
    """
    if not report.startswith(b"ready"):
        return None
    return int(report.removeprefix(b"ready") or b"0")


def words(arguments: Sequence[object]) -> tuple[str, ...]:
    """The arguments as words, paths and numbers included."""
    return tuple(map(str, arguments))
