"""What is there for the commands of one work order: the files after it, its own allowed files included."""

from collections.abc import Iterable

from factory.contract.work_order import WorkOrder
from factory.plans.states.file_state import FileStates, Presence


class Place:
    """The files that the acceptance commands of a work order find.

    Args:
        files: the files at each point of the plan.
        index: the index of the work order.
        order: the work order.
        accepts_possible: whether what may be written counts, as in a plan that promises nothing.
    """

    def __init__(self, files: FileStates, index: int, order: WorkOrder, *, accepts_possible: bool) -> None:
        self._files = files
        self._done = index + 1
        self._own = order.allowed_files
        self._accepts_possible = accepts_possible

    def best(self, paths: Iterable[str]) -> Presence:
        """What is known of the one among `paths` that is known best."""
        best = Presence.ABSENT
        for path in paths:
            presence = self._files.presence(path, self._done)
            if presence is Presence.CERTAIN or self._writes(path):
                return Presence.CERTAIN
            if presence is Presence.POSSIBLE:
                best = Presence.CERTAIN if self._accepts_possible else Presence.POSSIBLE
        return best

    def _writes(self, path: str) -> bool:
        return any(own == path or own.startswith(path + "/") for own in self._own)
