"""What an attempt wrote, and a checkout that holds it and nothing else: for passes after the first."""

from collections.abc import Mapping

from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.repo_path import RepoPath
from factory.system.files.tree import FoundFile


def written_files(state: RunState, checkout: Checkout) -> dict[RepoPath, FoundFile]:
    """The files that the attempt wrote, as they are in the checkout."""
    proposal = state["proposal"]
    assert proposal is not None
    tree = checkout.tree
    read = {write.path: tree.read(write.path, max_bytes=MAX_CONTEXT_BYTES) for write in proposal.writes}
    return {path: file for path, file in read.items() if file is not None}


def put(files: Mapping[RepoPath, FoundFile], checkout: Checkout) -> str:
    """Make the checkout hold the baseline with these files and nothing else; git's id of that tree.

    What commands left would decide the next result: their own files, and compiled modules, which Python takes
    for those of a source with the same size and second.
    """
    checkout.restore()
    for path, file in files.items():
        checkout.tree.write(path, file.data, mode=file.mode)
    return checkout.stage(sorted(files))
