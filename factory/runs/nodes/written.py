"""What an attempt wrote, as values: for trials of it."""

from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.trials.request import Written


def written_files(state: RunState, checkout: Checkout) -> tuple[Written, ...]:
    """The files that the attempt wrote, as they are in the checkout."""
    proposal = state["proposal"]
    assert proposal is not None
    tree = checkout.tree
    read = {write.path: tree.read(write.path, max_bytes=MAX_CONTEXT_BYTES) for write in proposal.writes}
    return tuple(Written.of(path, file) for path, file in read.items() if file is not None)
