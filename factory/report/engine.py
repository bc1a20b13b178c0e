"""The workers of an engine, as people read them."""

from collections.abc import Sequence
from typing import Protocol

from factory.engines.message import peer
from factory.system.sandbox.policy import render_bytes
from factory.system.terminal.console import visible


class ListedWorker(Protocol):
    """What is told of a worker."""

    @property
    def address(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def peer(self) -> str: ...

    @property
    def sandboxes(self) -> tuple[str, ...]: ...

    @property
    def programs(self) -> tuple[str, ...]: ...

    @property
    def memory_bytes(self) -> int: ...

    @property
    def clock(self) -> str: ...


def render_workers(address: str, workers: Sequence[ListedWorker]) -> str:
    """The workers of a scheduler, a line each, with what they can do.

    Args:
        address: the scheduler's.
        workers: its workers.
    """
    fitting = [worker for worker in workers if worker.peer == peer()]
    lines = [f"{visible(address)}: workers that fit ({peer()}): {len(fitting)} of {len(workers)}"]
    for worker in workers:
        able = ", ".join(map(visible, worker.sandboxes)) or "nothing known"
        told = "" if worker.peer == peer() else f"; not used: {visible(worker.peer) or 'no known version'}"
        programs = ", ".join(map(visible, worker.programs)) or "none"
        memory = f"; memory: {render_bytes(worker.memory_bytes)}" if worker.memory_bytes else ""
        clock = f"; {worker.clock}" if worker.clock else ""
        lines.append(
            f"  {visible(worker.name)}  {visible(worker.address)}"
            f"  sandboxes: {able}; programs: {programs}{memory}{clock}{told}"
        )
    return "\n".join(lines)
