"""The levels `bwrap` and `bwrap-noproc`: bubblewrap builds a small machine of its own around the command.

As an ordinary user the command keeps its user, in a user namespace without rights. Root is never what the
command runs as where that can be avoided: the files of a throw-away checkout are handed to a user that has
nothing else, and the command becomes that user. Where it can't be avoided, its root is mapped to a user
without rights, but stays root for the limit on processes, which is a gap.

`bwrap-noproc` shows the machine's own /proc, read-only, where mounting a new one is forbidden, as in most
containers.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from factory.system.compiled import compiled
from factory.system.removal import remove_trees
from factory.system.sandbox.levels.descriptors import holding, telling
from factory.system.sandbox.levels.orders import ENTER, Orders, interpreter, limits, limits_of_user
from factory.system.sandbox.levels.ownership import hand_over, throw_away_user
from factory.system.sandbox.levels.seccomp import ARCHITECTURES, program
from factory.system.sandbox.policy import MIB, Policy
from factory.system.sandbox.port import OWN_USER, Prepared, words
from factory.system.sandbox.visible import NETWORK_SETTINGS, SETTINGS, SYSTEM, is_there

if TYPE_CHECKING:
    from factory.system.process.command import Command

Root = Literal["no", "becomes a user", "mapped"]
"""What is done about being root: nothing, because we are not; another user; root of a namespace only."""

MINIMUM_VERSION: Final = (0, 8, 0)
"""The first bubblewrap that knows `--disable-userns`."""

_USER_INSIDE: Final = 1_000
_OTHERS_INSIDE: Final = (2_000, 2_001)
_ENTER_INSIDE: Final = Path("/run/sandbox/enter.py")
_TMP: Final = Path("/tmp")
_SHARED_BYTES: Final = 64 * MIB
_SMALL_BYTES: Final = 16 * MIB


@dataclass(frozen=True)
class Bubblewrap:
    """Bubblewrap in one of its two levels.

    Attributes:
        executable: the program.
        version: its version.
        new_proc: whether a new /proc is mounted: level `bwrap`, else `bwrap-noproc`.
        root: what is done about being root.
    """

    executable: str
    version: str
    new_proc: bool = True
    root: Root = "no"

    @property
    def level(self) -> str:
        return "bwrap" if self.new_proc else "bwrap-noproc"

    @property
    def gaps(self) -> tuple[str, ...]:
        gaps = []
        if not self.new_proc:
            gaps.append("the numbers and command lines of the machine's processes can be read")
        if self.root == "mapped":
            gaps.append("it runs as root, mapped to another user")
        return tuple(gaps)

    @property
    def bounds_processes(self) -> str:
        return OWN_USER if self.root != "mapped" else ""

    def wrap(self, command: "Command", policy: Policy) -> Prepared:
        user = self._user(policy)
        root: Root = self.root if self.root != "becomes a user" or user is not None else "mapped"
        own = replace(self, root=root)
        if user is not None:
            hand_over([policy.temporary, policy.home, policy.shared, *_new_data(policy)], user)
        _clear_mount_points(policy)
        counted = root != "mapped"
        orders = Orders(
            limits(policy.resources),
            limits_of_user(policy.resources) if counted else {},
            user=(user, user) if user is not None else None,
        )
        inside = _user_inside(root, policy)
        number = user if user is not None else os.getuid() if inside is None else inside
        report_fd, telling_end = telling()
        architecture = ARCHITECTURES[os.uname().machine]
        seccomp = holding(program(architecture, own_network=True, among_others=False))
        passwd, group, hosts = map(holding, _accounts(number, policy.home))
        argv = words(
            (
                self.executable,
                *own._namespaces(policy),
                *own._places(policy, {"passwd": passwd, "group": group, "hosts": hosts}),
                *("--chdir", command.cwd or policy.root, "--seccomp", seccomp, "--"),
                *orders.argv(interpreter(), _ENTER_INSIDE, telling_end, command.argv),
            )
        )
        return Prepared(argv, (telling_end, seccomp, passwd, group, hosts), report_fd, own_processes=True)

    @property
    def changes_user(self) -> bool:
        return True

    def owner_of(self, root: Path) -> int | None:
        return throw_away_user(root) if self.root == "becomes a user" else None

    def _user(self, policy: Policy) -> int | None:
        """The user that root becomes; None to stay."""
        if self.root != "becomes a user":
            return None
        owner = policy.root.stat().st_uid
        return owner if owner != 0 else None

    def _namespaces(self, policy: Policy) -> Iterator[object]:
        yield from ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
        if policy.network == "none":
            yield "--unshare-net"
        yield from ("--hostname", "sandbox", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
        if self.root == "becomes a user":
            yield from ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
            return
        yield "--unshare-user"
        inside = _user_inside(self.root, policy)
        if inside is not None:
            yield from ("--uid", inside, "--gid", inside)
        if self.new_proc:
            # It writes to /proc/sys, which is what the other level's is forbidden.
            yield "--disable-userns"

    def _places(self, policy: Policy, accounts: dict[str, int]) -> Iterator[object]:
        for place in map(Path, SYSTEM):
            if place.is_symlink() and is_there(place):
                yield from ("--symlink", place.readlink(), place)
            elif is_there(place):
                yield from _read_only(place)
        settings = (*SETTINGS, *(NETWORK_SETTINGS if policy.network == "host" else ()))
        for place in map(Path, settings):
            if is_there(place):
                yield from (*_folders_above(place), "--ro-bind", place.resolve(), place)
        for name, descriptor in accounts.items():
            yield from ("--perms", "0644", "--ro-bind-data", descriptor, f"/etc/{name}")
        if self.new_proc:
            yield from ("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys")
            # Or a process could write into the memory of another one, such as the one that judges it.
            yield from ("--remount-ro", "/proc")
        else:
            yield from ("--ro-bind", "/proc", "/proc")
        yield from ("--dev", "/dev", *_memory(Path("/dev/shm"), _SHARED_BYTES))
        yield from ("--bind", policy.shared, _TMP, *_memory(Path("/var/tmp"), _SMALL_BYTES))
        yield from ("--perms", "0755", "--dir", "/run", "--perms", "0755", "--dir", _ENTER_INSIDE.parent)
        # Compiled or not: the interpreter looks at how it begins, not at its name.
        yield from ("--ro-bind", compiled(ENTER), _ENTER_INSIDE)
        yield from self._places_of_policy(policy)
        yield from ("--remount-ro", "/dev", "--remount-ro", "/")

    def _places_of_policy(self, policy: Policy) -> Iterator[object]:
        places: dict[Path, tuple[object, ...]] = {}
        for path in (*policy.visible, *(path.resolve() for path in policy.visible)):
            if is_there(path) and not _is_system(path):
                places[path] = ("--ro-bind", path, path)
        for path in (policy.home, policy.temporary, policy.root, *_data(policy)):
            places[path] = ("--bind", path, path)
        for path in policy.read_only:
            # Never something that is not there: it would be made in the checkout.
            if is_there(path) and not path.is_symlink():
                places[path] = ("--ro-bind", path, path)
        for path, target in policy.links:
            places[path] = ("--symlink", target, path)
        # What lies above comes first, or it would cover what lies below.
        for path, arguments in sorted(places.items(), key=lambda item: (len(item[0].parts), item[0])):
            if not _is_below_bound(path, places):
                yield from _folders_above(path)
            yield from arguments


def _user_inside(root: Root, policy: Policy) -> int | None:
    """Whom the command takes itself for, where that is not who it is."""
    if root == "becomes a user":
        return None
    if policy.other_user:
        return next(user for user in _OTHERS_INSIDE if user != os.getuid())
    return _USER_INSIDE if root == "mapped" else None


def _clear_mount_points(policy: Policy) -> None:
    """Remove what earlier commands put where places are mounted below /tmp: bubblewrap follows links."""
    visible = (place for path in policy.visible for place in (path, path.resolve()))
    mounted = (policy.home, policy.temporary, policy.root, *_data(policy), *policy.read_only, *visible)
    names = {path.relative_to(_TMP).parts[:1] for path in mounted if path.is_relative_to(_TMP)}
    remove_trees(policy.shared / name for parts in sorted(names) for name in parts)


def _data(policy: Policy) -> list[Path]:
    return [policy.data] if policy.data is not None else []


def _new_data(policy: Policy) -> list[Path]:
    """The directory of services' data, if it is still ours: nobody has filled it then."""
    return [path for path in _data(policy) if path.stat().st_uid == 0]


def _accounts(user: int, home: Path) -> tuple[bytes, bytes, bytes]:
    """The files passwd, group and hosts of a machine with one user."""
    passwd = f"workorder:x:{user}:{user}::{home}:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\n"
    group = f"workorder:x:{user}:\nnogroup:x:65534:\n"
    hosts = "127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost\n"
    return os.fsencode(passwd), group.encode(), hosts.encode()


def _memory(place: Path, size: int) -> tuple[object, ...]:
    # Open to everybody: the command may not run as who mounts it, and nobody else is there.
    return ("--size", size, "--perms", "1777", "--tmpfs", place)


def _read_only(place: Path) -> tuple[object, ...]:
    return (*_folders_above(place), "--ro-bind", place, place)


def _folders_above(place: Path) -> tuple[object, ...]:
    """Makes the directories above a place: by themselves they would be open to who mounts them only."""
    folders = list(place.parents)[-2::-1]
    return tuple(word for folder in folders for word in ("--perms", "0755", "--dir", folder))


def _is_system(path: Path) -> bool:
    return any(path.is_relative_to(system) for system in SYSTEM)


def _is_below_bound(path: Path, places: dict[Path, tuple[object, ...]]) -> bool:
    return any(above in places for above in path.parents)
