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
from factory.gates.check import CheckContext
from factory.gates.checks.registry import Part, carried_out
from factory.mutation.kill_proof import Fate, KillProof, Trial, is_product_code, trials, written_lines
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
    checks: tuple[Part, ...],
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
    sources = {path: found.data.decode("utf-8") for path, found in files.items() if is_product_code(path)}
    lines = {path: _lines(state, checkout, path) for path in sources}
    hurried = _hurried(bench, state["slowest_seconds"])
    fates: list[Fate] = []
    for index, trial in enumerate(trials(sources, lines, settings.mutants), start=1):
        mutant = attempt / "mutants" / str(index)
        mutant.mkdir(parents=True, exist_ok=True)
        context = hurried.context(order, _put_mutant(trial, files, checkout), mutant)
        fates.append(_fate(trial, _killed_by(checks, context)))
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
    found = {write.path: tree.read(write.path, max_bytes=MAX_CONTEXT_BYTES) for write in proposal.writes}
    return {path: file for path, file in found.items() if file is not None}


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
    for path, found in files.items():
        checkout.tree.write(path, found.data, mode=found.mode)
    return checkout.stage(sorted(files))


def _hurried(bench: Bench, slowest_seconds: float) -> Bench:
    """With the time limit of a mutant's commands."""
    patience = _LEAST_SECONDS + _PATIENCE * slowest_seconds
    return replace(bench, timeout_seconds=min(bench.timeout_seconds, patience))


def _put_mutant(trial: Trial, files: Mapping[RepoPath, FoundFile], checkout: Checkout) -> str:
    changed = replace(files[trial.path], data=trial.mutant.source.encode("utf-8"))
    return _put({**files, trial.path: changed}, checkout)


def _fate(trial: Trial, killed_by: str | None) -> Fate:
    mutant = trial.mutant
    return Fate(
        path=trial.path,
        line=mutant.line,
        operator=mutant.operator,
        change=mutant.description,
        killed_by=killed_by,
    )


def _killed_by(checks: tuple[Part, ...], context: CheckContext) -> str | None:
    """The check that notices; acceptance first, because it is about these lines and quicker."""
    for part in reversed(checks):
        for check in part.checks:
            result = carried_out(check, context, part.stage)
            if not result.passed:
                failure = result.failure
                broken = failure is not None and failure.failure_class is FailureClass.ENVIRONMENT
                # What breaks for another reason has noticed nothing.
                return None if broken else result.name
    return None
