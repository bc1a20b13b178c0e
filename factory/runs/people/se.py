"""SE where a person is the engineer: what they did is the proposal, and nobody is asked."""

from factory.attempt.failure import Failure, Stage
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.contract.canonical import EMPTY_SHA256, sha256_hex
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.proposal import Write, WriteProposal
from factory.contract.work_order import WorkOrder
from factory.runs.people.work import Work
from factory.runs.plan_defect import plan_defect
from factory.runs.record.files import ADOPTION, PROPOSAL
from factory.runs.record.folder import RunFolder
from factory.system.files.tree import FileProblem, Tree


def propose_by_person(
    state: RunState, *, order: WorkOrder, work: Work, checkout: Checkout, folder: RunFolder
) -> RunState:
    """Propose what a person did, unless the work order can't be carried out on these files."""
    number = state["attempt"]
    ADOPTION.write(folder.path, work.adoption)
    folder.event("attempt_started", attempt=number)
    attempt = folder.attempt(number)
    proposal = plan_defect(order, checkout.tree) or _proposal(work, checkout.tree)
    if isinstance(proposal, Failure):
        return {"failure": proposal}
    PROPOSAL.write(attempt.path, proposal)
    return {"proposal": proposal, "generated_by": ""}


def _proposal(work: Work, tree: Tree) -> WriteProposal | Failure:
    """Their texts, for the files as they are here: git may write them otherwise than it keeps them."""
    writes = []
    for path, text in work.texts.items():
        try:
            file = tree.read(path, max_bytes=MAX_CONTEXT_BYTES)
        except FileProblem as error:
            return Failure.model_defect(
                Stage.WRITE_SCOPE_VIOLATION,
                f"`{path}` {error.message}",
                where=path,
                hint="write another file",
            )
        base = sha256_hex(file.data) if file is not None else EMPTY_SHA256
        writes.append(Write(path=path, base_sha256=base, content=text))
    return WriteProposal(summary=work.summary, writes=tuple(writes))
