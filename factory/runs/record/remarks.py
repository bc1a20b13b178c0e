"""What who wrote the files wants people to know, as lines: of one proposal, or of all that runs have kept."""

from collections.abc import Callable, Iterable
from pathlib import Path

from factory.contract.proposal import WriteProposal
from factory.runs.record.files import PROPOSAL, WORK_ORDER
from factory.runs.record.folder import attempts_in
from factory.system.terminal.console import one_line


def remarks_of(order_id: str, proposal: WriteProposal) -> list[str]:
    """A line for each remark, whatever stands in it."""
    return [f"{order_id} remarks: {one_line(text)}" for text in proposal.remarks]


def tell_remarks(order_id: str, proposal: WriteProposal, progress: Callable[[str], None]) -> None:
    """Tell them while there is time to stop."""
    for line in remarks_of(order_id, proposal):
        progress(line)


def remarks_in(folders: Iterable[Path]) -> list[str]:
    """The lines of all attempts of some runs, each once.

    Args:
        folders: those of the runs.
    """
    remarks: dict[str, None] = {}
    for folder in folders:
        order = WORK_ORDER.read_sound(folder)
        for _, attempt in attempts_in(folder):
            proposal = PROPOSAL.read_sound(attempt)
            if proposal is not None and order is not None:
                remarks |= dict.fromkeys(remarks_of(order.id, proposal))
    return list(remarks)
