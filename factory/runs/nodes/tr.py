"""TR, the tool runner: refuses a proposal that leaves its contract, before the first byte; then writes it."""

from collections.abc import Callable

from factory.attempt.answers.parse import fitted
from factory.attempt.failure import Failure, Stage
from factory.attempt.scope import violation
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.configuration.guarded import options
from factory.configuration.guarded_parts import Guard, Trespass
from factory.contract.canonical import EMPTY_SHA256, sha256_hex
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.proposal import Write, WriteProposal
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.runs.record.files import CHANGES, WRITE_RESULT
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import WriteResult
from factory.system.files.tree import NEW_FILE_MODE, FileProblem, FoundFile, Tree


def apply(
    state: RunState,
    *,
    order: WorkOrder,
    guard: Guard,
    checkout: Checkout,
    folder: RunFolder,
    progress: Callable[[str], None],
) -> RunState:
    """Write the proposal's files and record the tree that they make."""
    number = state["attempt"]
    progress(f"attempt {number}: TR applies the proposal")
    proposal = state["proposal"]
    assert proposal is not None
    attempt = folder.opened_attempt(number)
    result = write_all(proposal, order, checkout.tree, guard)
    if isinstance(result, Failure):
        return _refused(number, folder, result)
    tree = checkout.stage([write.path for write in proposal.writes])
    # Now, because commands may damage the checkout.
    changes = checkout.difference(tree)
    attempt.data(CHANGES, changes)
    if not changes:
        return _refused(number, folder, _nothing_changed(proposal))
    WRITE_RESULT.write(attempt.path, WriteResult(applied=True, written=tuple(result), tree=tree))
    folder.event("applied", attempt=number, tree=tree)
    return {"tree": tree}


def _refused(number: int, folder: RunFolder, failure: Failure) -> RunState:
    WRITE_RESULT.write(folder.opened_attempt(number).path, WriteResult(applied=False, failure=failure))
    folder.event("writes_refused", attempt=number, stage=failure.stage)
    return {"failure": failure}


def _nothing_changed(proposal: WriteProposal) -> Failure:
    """What lands must be work: whatever the checks say, they said it before."""
    return Failure.model_defect(
        Stage.LLM_OUTPUT_INVALID,
        "the proposal changes nothing: every file that it writes is there already, with the same content",
        where=proposal.writes[0].path,
        hint="write what the work order asks for and is not there yet",
    )


def write_all(proposal: WriteProposal, order: WorkOrder, files: Tree, guard: Guard) -> list[str] | Failure:
    """Write the files of a proposal.

    Returns:
        The paths that were written; or the failure. A refusal comes before the first byte; after a failed
        write the files before it are written, and undone with the attempt.
    """
    current: dict[RepoPath, FoundFile | None] = {}
    for write in proposal.writes:
        if write.path not in order.allowed_files:
            # Not even looked at: `violation` refuses it by name.
            current[write.path] = None
            continue
        try:
            current[write.path] = files.read(write.path, max_bytes=MAX_CONTEXT_BYTES)
        except FileProblem as error:
            return Failure.plan_defect(
                Stage.WRITE_SCOPE_VIOLATION,
                f"`{write.path}` {error.message}, so it can't be written",
                where=write.path,
                hint="name another path in the work order",
            )
    refused = violation(proposal, order, {path: _hash(file) for path, file in current.items()})
    if refused is not None:
        return refused
    contents = {write.path: _content(write, current[write.path]) for write in proposal.writes}
    for path, content in contents.items():
        old = current[path]
        trespass = guard.trespass(path, old.data if old else None, content)
        if trespass is not None:
            return _trespassed(path, trespass)
    written: list[str] = []
    for write in proposal.writes:
        problem = _write(files, write, current[write.path], contents[write.path])
        if problem is not None:
            return problem
        written.append(write.path)
    return written


def _content(write: Write, old: FoundFile | None) -> bytes:
    return fitted(write.content, old.data if old else None).encode("utf-8")


def _trespassed(path: RepoPath, trespass: Trespass) -> Failure:
    leave = f"change only {trespass.free} in it" if trespass.free else "leave it as it is"
    return Failure.model_defect(
        Stage.WRITE_SCOPE_VIOLATION,
        f"`{path}` {trespass.part}",
        where=path,
        hint=f"{leave}; only a person can accept more, by {options([path])}",
    )


def _write(files: Tree, write: Write, old: FoundFile | None, content: bytes) -> Failure | None:
    try:
        # Once more, at the moment of writing: something may have changed it since.
        if _hash(files.read(write.path, max_bytes=MAX_CONTEXT_BYTES)) != write.base_sha256:
            return Failure.environment(
                Stage.STALE_CONTEXT,
                f"`{write.path}` changed while the proposal was being written",
                where=write.path,
                hint="find out what else writes to the attempt's checkout",
            )
        files.write(write.path, content, mode=old.mode if old else NEW_FILE_MODE)
    except FileProblem as error:
        return Failure.environment(
            Stage.WRITE_FAILED,
            f"`{write.path}` {error.message}",
            where=write.path,
            hint="see whether the disk is full or a permission is missing",
        )
    return None


def _hash(file: FoundFile | None) -> str:
    return sha256_hex(file.data) if file else EMPTY_SHA256
