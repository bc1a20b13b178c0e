"""The files that exist after each work order, symbolically: certainly there, possibly there, or absent.

Files only come into being: a postcondition can promise existence, no work order deletes. So one number a path
is enough, the count of finished work orders from which on it is there, and no set is ever copied.
"""

from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum

from factory.contract.work_order import Condition, Plan


class Presence(StrEnum):
    """What is known about a path at one point of a plan."""

    CERTAIN = "certain"
    POSSIBLE = "possible"
    ABSENT = "absent"


class FileStates:
    """What is known about every path at every point of a plan.

    Starts from the repository's files, those that the plan's packages make and those that landed work orders
    have made, whatever their numbers, and grows by the postconditions of each of the others. The allowed
    files of a work order that declares no conditions are possibly there after it. A directory is there when a
    file below it is.

    Args:
        plan: the plan.
        repo_files: the target repository's tracked files.
        landed: the ids of the work orders that have landed.
        present: the files that the repository has now. What a landed work order made and is not among them
            was removed by the user.
    """

    def __init__(
        self,
        plan: Plan,
        repo_files: frozenset[str],
        landed: Collection[str] = (),
        present: Collection[str] = (),
    ) -> None:
        self._certain: dict[str, int] = {}
        self._possible: dict[str, int] = {}
        for path in (*repo_files, *_made(plan), *_landed_files(plan, landed, present)):
            _note(self._certain, path, 0)
        for done, order in enumerate(plan.work_orders, start=1):
            for postcondition in order.postconditions if order.id not in landed else ():
                _note(self._certain, postcondition.path, done)
            if not order.declares_conditions:
                for path in order.allowed_files:
                    _note(self._possible, path, done)

    def presence(self, path: str, done: int) -> Presence:
        """What is known about `path` when the first `done` work orders are finished."""
        certain, possible = self._certain.get(path), self._possible.get(path)
        if certain is not None and certain <= done:
            return Presence.CERTAIN
        if possible is not None and possible <= done:
            return Presence.POSSIBLE
        return Presence.ABSENT

    def first_possible(self, path: str, done: int) -> int | None:
        """The index of the first work order that possibly made `path` within the first `done`, if any."""
        possible = self._possible.get(path)
        return possible - 1 if possible is not None and possible <= done else None

    def certain_from(self, path: str) -> int | None:
        """How many work orders must be finished for `path` to be there for certain; None if never."""
        return self._certain.get(path)

    def conceivable_from(self, path: str) -> int | None:
        """How many work orders must be finished for `path` to be there at all; None if never."""
        known = [table[path] for table in (self._certain, self._possible) if path in table]
        return min(known, default=None)


def verify_exempt(plan: Plan, repo_files: frozenset[str]) -> tuple[bool, ...]:
    """For each work order, whether the repository can't be verified yet after it.

    True exactly while the files after the work order do not satisfy the verify contract's `requires`; false
    for all in a plan without a verify contract.
    """
    count = len(plan.work_orders)
    if plan.verify_contract is None:
        return (False,) * count
    start, end = _satisfied(FileStates(plan, repo_files), plan.verify_contract.requires, count)
    return tuple(not start <= done < end for done in range(1, count + 1))


def _satisfied(states: FileStates, requires: Iterable[Condition], count: int) -> tuple[int, int]:
    """The range of finished work orders, end excluded, in which all of `requires` certainly hold."""
    start, end = 0, count + 1
    for condition in requires:
        match condition.kind:
            case "file_exists":
                since = states.certain_from(condition.path)
                start = max(start, count + 1 if since is None else since)
            case "file_absent":
                until = states.conceivable_from(condition.path)
                end = min(end, count + 1 if until is None else until)
    return start, end


def _landed_files(plan: Plan, landed: Collection[str], present: Collection[str]) -> Iterator[str]:
    """The files that landed work orders have made and the repository has now."""
    for order in plan.work_orders:
        if order.id in landed:
            promised = (postcondition.path for postcondition in order.postconditions)
            yield from (path for path in (*promised, *order.allowed_files) if path in present)


def _made(plan: Plan) -> Iterator[str]:
    """The files that the plan's packages make, at the root and in each project."""
    for project in dict.fromkeys([None, *(order.project for order in plan.work_orders)]):
        wanted = plan.wanted_environment(project)
        for path in wanted.made_files if wanted is not None else ():
            yield path if project is None else f"{project}/{path}"


def _note(table: dict[str, int], path: str, done: int) -> None:
    for place in _with_parents(path):
        if place in table:
            # Earlier entries are never later ones, and this path's parents were noted with it.
            return
        table[place] = done


def _with_parents(path: str) -> Iterator[str]:
    yield path
    while (cut := path.rfind("/")) > 0:
        path = path[:cut]
        yield path
