"""The level `landlock`: the kernel refuses every file that no rule names; for where bubblewrap can't run.

The command stays on the machine as it is, so a filter replaces what namespaces would isolate: it gets no
network at all, and can connect to nothing, not even to itself. With the machine's network it gets that, and
no Unix sockets, behind whose paths the user's agents and daemons listen. Rules only ever allow, so nothing in
the checkout can be kept from it: this level is for throw-away checkouts alone. Nor does Landlock know the
groups, attributes, permissions and times of files. Of an ordinary user the filter refuses to change the first
two of any; programs need the others for their own, and only a path tells those apart, which a filter can't
read.
"""

import ctypes
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from factory.system.compiled import compiled
from factory.system.sandbox.levels.descriptors import telling
from factory.system.sandbox.levels.orders import (
    ENTER,
    Landlock,
    Orders,
    bound_of_shared_user,
    interpreter,
    limits,
    limits_of_shared_user,
    limits_of_user,
)
from factory.system.sandbox.levels.ownership import hand_over, throw_away_user
from factory.system.sandbox.levels.seccomp import ARCHITECTURES, program
from factory.system.sandbox.levels.shared_memory import SHARED_MEMORY, clearing
from factory.system.sandbox.policy import Policy
from factory.system.sandbox.port import OWN_USER, Prepared
from factory.system.sandbox.visible import NETWORK_SETTINGS, SETTINGS, SYSTEM

if TYPE_CHECKING:
    from factory.system.process.command import Command

MINIMUM_ABI: Final = 3
"""The first that governs truncation."""

_CREATE_RULESET, _VERSION_OF_RULESETS = 444, 1

# The rights of files, see linux/landlock.h.
_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_ALL: Final = (1 << 16) - 1
_ABI_WITH_NETWORK, _ABI_WITH_IOCTL, _ABI_WITH_SCOPES = 4, 5, 6
_BIND_AND_CONNECT: Final = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS: Final = 0b11
_REMOVE_FILE, _MAKE_FILE = 1 << 5, 1 << 8
_MAKE_DEVICES: Final = (1 << 6) | (1 << 11)

_LOOK: Final = _READ | _LIST
_RUN: Final = _LOOK | _EXECUTE
# Nothing but files: whatever is left there must be removed.
_SHARE: Final = _LOOK | _WRITE | _TRUNCATE | _MAKE_FILE | _REMOVE_FILE
_CHANGE: Final = _ALL & ~_MAKE_DEVICES & ~_IOCTL_DEVICE
# Those that mean something for what is no directory.
_OF_FILES: Final = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL_DEVICE

_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_FACTS: Final = (
    "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime",
    "/proc/version", "/proc/filesystems", "/proc/sys", "/sys/devices/system/cpu",
)  # fmt: skip


@dataclass(frozen=True)
class LandlockDomain:
    """Landlock with a system call filter.

    Attributes:
        abi: the version of the kernel's interface.
        becomes_user: whether root becomes a user that owns nothing but the checkout.
    """

    abi: int
    becomes_user: bool

    @property
    def level(self) -> str:
        return "landlock"

    @property
    def version(self) -> str:
        return f"ABI {self.abi}"

    @property
    def gaps(self) -> tuple[str, ...]:
        gaps = [
            "commands have no loopback network, and connect to no socket, their own included",
            "the checkout's .git is not protected; changes in it are found afterwards",
            "shared memory (/dev/shm) is the machine's own, and only the size of a file is limited there",
            "which files the machine has, and their sizes and times, can be found out",
        ]
        if not self.becomes_user:
            what = (
                "permissions and times" if os.geteuid() != 0 else "permissions, times, groups and attributes"
            )
            gaps.append(f"{what} of the user's other files can be changed")
            gaps.append("other processes of the user can be slowed down")
            gaps.append(
                "files of the user that appear in /dev/shm while a command runs, and that no program holds, "
                "are removed with what the command left there"
            )
        if os.geteuid() == 0 and not self.becomes_user:
            gaps.append("it runs as root without rights")
        if self.abi < _ABI_WITH_SCOPES:
            gaps.append("processes of the same user can be signalled")
        return tuple(gaps)

    @property
    def bounds_processes(self) -> str:
        return OWN_USER if self.becomes_user else bound_of_shared_user()

    def wrap(self, command: "Command", policy: Policy) -> Prepared:
        user = self._prepared_user(policy)
        open_network = policy.network == "host"
        architecture = ARCHITECTURES[os.uname().machine]
        seccomp = program(
            architecture,
            own_network=open_network,
            among_others=True,
            among_files=self.becomes_user or os.geteuid() != 0,
        )
        orders = Orders(
            limits(policy.resources),
            limits_of_shared_user(policy.resources) if user is None else limits_of_user(policy.resources),
            user=(user, user) if user is not None else None,
            landlock=Landlock(self._attributes(policy).hex(), tuple(self._rules(policy))),
            seccomp=seccomp.hex(),
            own_group=True,
        )
        report_fd, telling_end = telling()
        argv = orders.argv(interpreter(), compiled(ENTER), telling_end, command.argv)
        return Prepared(argv, (telling_end,), report_fd, clear=clearing(user))

    @property
    def changes_user(self) -> bool:
        return self.becomes_user

    def owner_of(self, root: Path) -> int | None:
        return throw_away_user(root) if self.becomes_user else None

    def _prepared_user(self, policy: Policy) -> int | None:
        user = policy.root.stat().st_uid
        if not self.becomes_user or user == 0:
            return None
        hand_over((policy.home, policy.temporary), user)
        # Its name is a secret of this run, and whoever must reach the checkout must pass it.
        above = policy.root.parent
        above.chmod(above.stat().st_mode | 0o011)
        return user

    def _attributes(self, policy: Policy) -> bytes:
        """struct landlock_ruleset_attr, as far as this kernel knows it."""
        handled = self._known(_ALL)
        if self.abi < _ABI_WITH_NETWORK:
            return struct.pack("<Q", handled)
        network = _BIND_AND_CONNECT if policy.network == "none" else 0
        if self.abi < _ABI_WITH_SCOPES:
            return struct.pack("<QQ", handled, network)
        return struct.pack("<QQQ", handled, network, _ABSTRACT_SOCKETS_AND_SIGNALS)

    def _rules(self, policy: Policy) -> Iterator[tuple[str, int, int]]:
        for place in (policy.root, policy.home, policy.temporary):
            yield self._rule(place, _CHANGE)
        yield self._rule(SHARED_MEMORY, _SHARE)
        settings = (*SETTINGS, *(NETWORK_SETTINGS if policy.network == "host" else ()))
        # The interpreter's own place is among those that are visible, unless it is a home.
        for place in (*map(Path, SYSTEM), *policy.visible, interpreter()):
            yield self._rule(place, _RUN)
        for place in map(Path, (*settings, "/etc/passwd", "/etc/group", "/etc/hosts", *_FACTS)):
            yield self._rule(place, _LOOK)
        for place in map(Path, _DEVICES):
            yield self._rule(place, _READ | _WRITE | _TRUNCATE)

    def _rule(self, place: Path, rights: int) -> tuple[str, int, int]:
        known = self._known(rights)
        return (str(place), known, known & _OF_FILES)

    def _known(self, rights: int) -> int:
        return rights if self.abi >= _ABI_WITH_IOCTL else rights & ~_IOCTL_DEVICE


def abi() -> int:
    """The version of Landlock's interface that the kernel has; 0 if it has none, or switched it off."""
    if os.uname().machine not in ARCHITECTURES or os.uname().sysname != "Linux":
        return 0
    asked: int = ctypes.CDLL(None, use_errno=True).syscall(_CREATE_RULESET, None, 0, _VERSION_OF_RULESETS)
    return max(asked, 0)
