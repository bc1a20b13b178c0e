"""Lands a passed attempt: the commit with its tree becomes the branch's tip. `finalize` asks for it."""

from collections.abc import Callable

from factory.attempt.commit_message import commit_message
from factory.attempt.failure import Failure
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.contract.identity import contract_trailers
from factory.contract.work_order import WorkOrder
from factory.repository.landing import LandingFailed, land
from factory.repository.target import Target
from factory.runs.record.folder import RunFolder
from factory.system.process.signals import shielded


def land_attempt(
    state: RunState,
    *,
    order: WorkOrder,
    run_id: str,
    target: Target,
    checkout: Checkout,
    folder: RunFolder,
    progress: Callable[[str], None],
) -> str | Failure:
    """The commit that landed, or why none did."""
    proposal, tree = state["proposal"], state["tree"]
    assert proposal is not None
    assert tree is not None
    message = commit_message(order, proposal.summary, contract_trailers(order)[0], run_id).encode("utf-8")
    commit = target.git.text("commit-tree", tree, "-p", target.baseline, "-F", "-", stdin=message)
    try:
        with shielded():
            land(target, commit)
            checkout.advance()
    except LandingFailed as error:
        return Failure.of(error)
    progress(f"landed {commit[:12]} on {target.branch}")
    folder.event("landed", attempt=state["attempt"], commit=commit, tree=tree, branch=target.branch)
    return commit
