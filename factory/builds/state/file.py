"""`state.json` on the disk: read with distrust, written whole. What it means is in `model`.

Imports little, because `factory status` is to be instant.
"""

from pathlib import Path
from typing import Final

from factory.builds.state.model import BuildState
from factory.builds.state.order import OrderState
from factory.contract.canonical import dump, readable_json
from factory.contract.documents import BadDocument, read_document
from factory.contract.errors import Fault, WorkorderError
from factory.contract.strict_json import BadJson
from factory.system.files.tree import FileProblem, read_bounded, write_atomic

STATE_FILE: Final = "state.json"

_MAX_STATE_BYTES: Final = 100_000_000


class NoBuild(WorkorderError):
    """There is no build."""


class StateCorrupt(WorkorderError):
    """`state.json` can't be trusted."""

    fault = Fault.STATE_CORRUPT


def load_state(out: Path) -> BuildState | None:
    """The state of the build in `out`; None if there is none.

    Raises:
        StateCorrupt: there is a file, and it does not hold a state.
    """
    path = out / STATE_FILE
    if not path.exists():
        return None
    try:
        data = read_bounded(path, max_bytes=_MAX_STATE_BYTES)
        return read_document(BuildState, data, str(path), max_bytes=_MAX_STATE_BYTES)
    except (BadJson, BadDocument, FileProblem) as error:
        raise StateCorrupt(
            f"the build's state is damaged: {error.message}",
            where=str(path),
            hint="build with --rebuild-state: it is derived from git and the run folders, nothing is lost",
        ) from error


def require_state(out: Path) -> BuildState:
    """The state of the build in `out`.

    Raises:
        NoBuild: there is none.
        StateCorrupt: it is damaged.
    """
    state = load_state(out)
    if state is None:
        raise NoBuild(
            f"holds no build: there is no {STATE_FILE}",
            where=str(out),
            hint="name the directory that `factory build` got as --out",
        )
    return state


def save_state(out: Path, state: BuildState) -> None:
    """Put the state on the disk.

    Raises:
        FileProblem: it can't be written; what was there is as it was.
    """
    StateFile(out).save(state)


class StateFile:
    """The file of one build, written again and again: of the work orders, only what changed is told anew.

    Args:
        out: the directory that it is in.
    """

    def __init__(self, out: Path) -> None:
        self._path = out / STATE_FILE
        self._told: dict[str, tuple[OrderState, bytes]] = {}

    def save(self, state: BuildState) -> None:
        """Put the state on the disk.

        Raises:
            FileProblem: it can't be written; what was there is as it was.
        """
        frame = readable_json(dump(state.model_copy(update={"orders": ()})))
        if not state.orders:
            write_atomic(self._path, frame)
            return
        # Texts hold no line breaks, so this is the field.
        before, _, after = frame.partition(b'\n  "orders": []')
        orders = b",\n    ".join(self._tell(order) for order in state.orders)
        write_atomic(self._path, before + b'\n  "orders": [\n    ' + orders + b"\n  ]" + after)

    def _tell(self, order: OrderState) -> bytes:
        told = self._told.get(order.id)
        if told is None or told[0] is not order:
            told = order, readable_json(dump(order)).rstrip(b"\n").replace(b"\n", b"\n    ")
            self._told[order.id] = told
        return told[1]
