"""The kill proof: the checks of a passed attempt run on mutants of what it wrote, and should notice each.

Nothing of it lands: the tree of the attempt was recorded before.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from factory.attempt.failure import FailureClass
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.bench import Bench
from factory.gates.trial import CheckGroup, Trial, TrialResult, try_out
from factory.mutation.kill_proof import (
    Fate,
    KillProof,
    PlacedMutant,
    chosen_mutants,
    is_product_code,
    written_lines,
)
from factory.runs.record.files import KILL_PROOF
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import ProofResult
from factory.runs.settings import AttemptSettings
from factory.system.files.tree import FoundFile

_LEAST_SECONDS: Final = 10.0
_PATIENCE: Final = 5.0
"""A mutant's command may take so many times as long as the slowest command of the attempt."""


def prove(
    state: RunState,
    *,
    order: WorkOrder,
    settings: AttemptSettings,
    bench: Bench,
    checks: tuple[CheckGroup, ...],
    folder: RunFolder,
    progress: Callable[[str], None],
) -> RunState:
    """Try mutants of the written lines; record the score, and fail an attempt that is below the threshold."""
    if settings.mutants == 0:
        return {}
    number = state["attempt"]
    progress(f"attempt {number}: mutants of what was written, to see whether the checks notice")
    attempt = folder.opened_attempt(number).path
    checkout, threshold = bench.checkout, settings.kill_threshold
    files = _written(state, checkout)
    sources = {path: file.data.decode("utf-8") for path, file in files.items() if is_product_code(path)}
    lines = {path: _lines(state, checkout, path) for path in sources}
    patience = _LEAST_SECONDS + _PATIENCE * state["slowest_seconds"]
    hurried = replace(bench, timeout_seconds=min(bench.timeout_seconds, patience))
    fates: list[Fate] = []
    for index, placed in enumerate(chosen_mutants(sources, lines, settings.mutants), start=1):
        tree = _put_mutant(placed, files, checkout)
        mutant = attempt / "mutants" / str(index)
        mutant.mkdir(parents=True, exist_ok=True)
        # Acceptance first, because it is about these lines and quicker.
        trial = Trial(order, tree, checks[::-1])
        fates.append(_fate(placed, try_out(trial, hurried.context(order, tree, mutant))))
    if fates:
        _put(files, checkout)
    proof = KillProof(verdict="measured" if fates else "not measured", fates=tuple(fates))
    KILL_PROOF.write(attempt, ProofResult.of(proof, threshold))
    folder.event("proved", attempt=number, percent=proof.percent, tried=len(fates))
    problem = proof.shortfall(threshold) if threshold is not None else None
    return {"failure": problem} if problem is not None else {}


def _written(state: RunState, checkout: Checkout) -> dict[RepoPath, FoundFile]:
    """The files that the attempt wrote, as they are in the checkout."""
    proposal = state["proposal"]
    assert proposal is not None
    tree = checkout.tree
    read = {write.path: tree.read(write.path, max_bytes=MAX_CONTEXT_BYTES) for write in proposal.writes}
    return {path: file for path, file in read.items() if file is not None}


def _lines(state: RunState, checkout: Checkout, path: RepoPath) -> frozenset[int]:
    tree = state["tree"]
    assert tree is not None
    patch = checkout.git.output(
        "diff-tree",
        "-r",
        "-p",
        "-U0",
        "--no-renames",
        "--no-ext-diff",
        # Whatever attributes say, these lines are text.
        "--text",
        "--no-color",
        checkout.baseline,
        tree,
        "--",
        path,
    )
    return written_lines(patch)


def _put(files: Mapping[RepoPath, FoundFile], checkout: Checkout) -> str:
    """Make the checkout hold the baseline with these files and nothing else; git's id of that tree.

    What commands left would decide the next result: their own files, and compiled modules, which Python takes
    for those of a source with the same size and second.
    """
    checkout.restore()
    for path, file in files.items():
        checkout.tree.write(path, file.data, mode=file.mode)
    return checkout.stage(sorted(files))


def _put_mutant(placed: PlacedMutant, files: Mapping[RepoPath, FoundFile], checkout: Checkout) -> str:
    changed = replace(files[placed.path], data=placed.mutant.source.encode("utf-8"))
    return _put({**files, placed.path: changed}, checkout)


def _fate(placed: PlacedMutant, result: TrialResult) -> Fate:
    mutant, failed = placed.mutant, result.failed
    # What breaks for another reason has noticed nothing.
    is_broken = result.failure is not None and result.failure.failure_class is FailureClass.ENVIRONMENT
    return Fate(
        path=placed.path,
        line=mutant.line,
        operator=mutant.operator,
        change=mutant.description,
        killed_by=None if failed is None or is_broken else failed.name,
    )
