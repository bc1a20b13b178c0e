"""SE of a work order whose texts the plan gives: the proposal is those texts, and no model is asked."""

from factory.attempt.failure import Failure
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.contract.canonical import EMPTY_SHA256
from factory.contract.proposal import Write, WriteProposal
from factory.contract.work_order import WorkOrder
from factory.runs.nodes.se import read_context
from factory.runs.plan_defect import plan_defect
from factory.runs.record.files import PROPOSAL
from factory.runs.record.folder import RunFolder
from factory.system.files.tree import Tree

BY_THE_PLAN = "plan"
"""What the trailer `Generated-By` of a commit says whose files no model wrote."""


def give(state: RunState, *, order: WorkOrder, checkout: Checkout, folder: RunFolder) -> RunState:
    """Propose the texts of the plan, unless the work order can't be carried out on these files."""
    number = state["attempt"]
    folder.event("attempt_started", attempt=number)
    attempt = folder.attempt(number)
    proposal = plan_defect(order, checkout.tree) or given_proposal(order, checkout.tree)
    if isinstance(proposal, Failure):
        return {"failure": proposal}
    PROPOSAL.write(attempt.path, proposal)
    return {"proposal": proposal, "generated_by": BY_THE_PLAN}


def given_proposal(order: WorkOrder, tree: Tree) -> WriteProposal | Failure:
    """What the plan wants written, for the files as they are; the failure, if one of them can't be read."""
    present = read_context(order, tree)
    if isinstance(present, Failure):
        return present
    hashes = {file.path: file.sha256 for file in present}
    return WriteProposal(
        summary="The plan gives these files as they are; no model was asked.",
        writes=tuple(
            Write(path=file.path, base_sha256=hashes.get(file.path, EMPTY_SHA256), content=file.text)
            for file in order.fixed_files
        ),
    )
