"""Finds where control groups can be made, by making one and moving a process into it."""

import errno
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.system.process.capture import capture
from factory.system.sandbox.kernel.bounds import WATCH_ALONE, Bounds
from factory.system.sandbox.kernel.group import ControlGroups, Controller, remove_stale, write
from factory.system.sandbox.kernel.mounted import Own, own_groups
from factory.system.sandbox.policy import Resources

_LEAF: Final = "workorder"
"""The group below our own that its processes move to: version 2 has limits only below groups without any."""

_BOUNDING: Final[tuple[Controller, ...]] = ("pids", "memory")
_COUNTING: Final[tuple[Controller, ...]] = ("cpuacct",)
_ENTER: Final = 'for group do echo 0 > "$group/cgroup.procs" || exit 1; done'


@dataclass(frozen=True)
class Discovery:
    """What came of looking for control groups.

    Attributes:
        groups: where they can be made; None if nowhere.
        reason: why they don't bound both processes and memory, a clause; empty if they do.
    """

    groups: ControlGroups | None
    reason: str = ""

    def bounds(self, by_level: str) -> Bounds:
        """What keeps the limits of commands; for `by_level` see `Sandbox.bounds_processes`."""
        places = self.groups.places if self.groups is not None else {}
        by_group = f"control group v{self.groups.version}" if self.groups is not None else ""
        return Bounds(
            processes=by_group if "pids" in places else by_level or WATCH_ALONE,
            memory=by_group if "memory" in places else WATCH_ALONE,
            reason=self.reason,
        )


def find_control_groups() -> Discovery:
    """Where commands can get control groups of their own; removes what killed factories left there."""
    if sys.platform != "linux":
        return Discovery(None, "this system has no control groups")
    owns = own_groups(_text("/proc/self/mountinfo"), _text("/proc/self/cgroup"))
    tried = [_version_2(Path(own.folder)) for own in owns if own.version == 2]
    if any(discovery.reason == "" for discovery in tried):
        return next(discovery for discovery in tried if not discovery.reason)
    tried.insert(0, _version_1(owns))
    best = max((attempt.groups for attempt in tried), key=lambda groups: len(groups.places) if groups else 0)
    reasons = dict.fromkeys(attempt.reason for attempt in tried if attempt.reason)
    return Discovery(best, "" if tried[0].reason == "" else "; ".join(reasons))


def _version_1(owns: tuple[Own, ...]) -> Discovery:
    """Each controller has a tree of its own, and each may be closed to us."""
    places: dict[Controller, Path] = {}
    reasons = []
    for controller in (*_BOUNDING, *_COUNTING):
        place = next((Path(own.folder) for own in owns if controller in own.controllers), None)
        problem = _problem(ControlGroups(1, {controller: place})) if place else f"{controller} is not mounted"
        if place is not None and not problem:
            places[controller] = place
        elif controller in _BOUNDING:
            reasons.append(f"control groups v1: {problem}")
    bounding = any(controller in places for controller in _BOUNDING)
    return Discovery(ControlGroups(1, places) if bounding else None, "; ".join(reasons))


def _version_2(own: Path) -> Discovery:
    """One tree has all the controllers, as far as they are handed down to it and it hands them down."""
    # Another factory has moved our ancestors, and us with them.
    place = own.parent if own.name == _LEAF else own
    offered = _text(place / "cgroup.controllers").split()
    missing = [controller for controller in _BOUNDING if controller not in offered]
    try:
        _hand_down(place, [controller for controller in _BOUNDING if controller in offered])
    except OSError as error:
        return Discovery(None, f"control groups v2: {_said(place, error)}")
    groups = ControlGroups(2, {controller: place for controller in _BOUNDING if controller in offered})
    problem = _problem(groups) if groups.places else ""
    reasons = [problem] if problem else [f"{place} does not have {controller}" for controller in missing]
    usable = groups.places and not problem
    return Discovery(
        groups if usable else None, "; ".join(f"control groups v2: {reason}" for reason in reasons)
    )


def _hand_down(place: Path, controllers: list[str]) -> None:
    """Let the groups below have these controllers."""
    wanted = [name for name in controllers if name not in _text(place / "cgroup.subtree_control").split()]
    if not wanted:
        return
    order = " ".join(f"+{name}" for name in wanted)
    try:
        write(place / "cgroup.subtree_control", order)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        leaf = place / _LEAF
        leaf.mkdir(exist_ok=True)
        _move_members(place, leaf)
        try:
            write(place / "cgroup.subtree_control", order)
        except OSError:
            _move_members(leaf, place)
            with suppress(OSError):
                leaf.rmdir()
            raise


def _move_members(group: Path, other: Path) -> None:
    for member in _text(group / "cgroup.procs").split():
        # It may have ended.
        with suppress(ProcessLookupError):
            write(other / "cgroup.procs", member)


def _problem(groups: ControlGroups) -> str:
    """Why no group can be made there; empty if one can."""
    places = tuple(dict.fromkeys(groups.places.values()))
    remove_stale(places)
    try:
        group = groups.made(Resources())
    except OSError as error:
        return _said(places[0], error)
    try:
        moved = capture(
            ("sh", "-c", _ENTER, "sh", *map(str, group.folders)), cwd=None, env={"PATH": os.defpath}
        )
    finally:
        group.remove()
    return "" if moved.ok else moved.stderr.decode("utf-8", "replace").strip()


def _said(place: Path, error: OSError) -> str:
    return f"{place}: {(error.strerror or str(error)).lower()}"


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text("utf-8", "surrogateescape")
    except OSError:
        return ""
