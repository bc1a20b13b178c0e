"""The kill proof: the checks of a passed attempt run on mutants of what it wrote, and should notice each.

Acceptance and verification judge each mutant, whatever the other says, in the order of the attempt: what the
verification builds, an acceptance command may need. Where nothing notices anything, one more pass tells which
of the changed lines are executed at all. Nothing of it lands: the tree of the attempt was recorded before.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Final

from factory.attempt.failure import FailureClass
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.bench import Bench
from factory.gates.build_cache import filled_build_cache
from factory.gates.step import Step, StepKind, unwatched
from factory.gates.trial import CheckGroup, TrialResult
from factory.mutation.kill_proof import (
    Fate,
    KillProof,
    PlacedMutant,
    chosen_mutants,
    is_product_code,
    unchangeable,
    written_lines,
)
from factory.runs.nodes.judges import Compilers, Judges
from factory.runs.nodes.written import put, written_files
from factory.runs.record.files import KILL_PROOF
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import ProofResult
from factory.runs.settings import AttemptSettings

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
    """Try mutants of the written lines; record the scores, and fail an attempt that they show to be unproven.

    That is one below the threshold; without a threshold one whose checks notice nothing of what they execute.
    """
    if settings.mutants == 0:
        return {}
    number = state["attempt"]
    progress(f"attempt {number}: mutants of what was written, to see whether the checks notice")
    attempt = folder.opened_attempt(number).path
    checkout, threshold = bench.checkout, settings.kill_threshold
    files = written_files(state, checkout)
    sources = {path: file.data.decode("utf-8") for path, file in files.items() if is_product_code(path)}
    lines = {path: _lines(state, checkout, path) for path in sources}
    patience = _LEAST_SECONDS + _PATIENCE * state["slowest_seconds"]
    # Of the checks of a mutant nobody needs to know which runs.
    hurried = replace(bench, timeout_seconds=min(bench.timeout_seconds, patience), begins=unwatched)
    judges = Judges(order, hurried, checks, files, attempt / "mutants")
    chosen = chosen_mutants(sources, lines, settings.mutants)
    if any(placed.path.endswith(".go") for placed in chosen):
        # Where the work order begins a module, what it wrote is compiled once for all mutants.
        put(files, checkout)
        cached: AbstractContextManager[None] = filled_build_cache(bench)
    else:
        cached = nullcontext()
    with cached:
        compilers = Compilers(judges, state["tree"] or "")
        fates: list[Fate] = []
        for index, placed in enumerate(chosen, start=1):
            line = f"{placed.path}:{placed.mutant.line}"
            bench.begins(Step(StepKind.MUTANT, line, index, len(chosen)))
            if compilers.accept(placed, str(index)):
                fates.append(_fate(placed, judges.results({placed.path: placed.mutant.source}, str(index))))
        unchanged = unchangeable(filter(is_product_code, files))
        proof = KillProof(
            verdict="measured" if fates else "not measured", fates=tuple(fates), unchanged=unchanged
        )
        if proof.is_doubtful:
            proof = judges.with_executed_lines(proof, sources)
    if chosen:
        put(files, checkout)
    KILL_PROOF.write(attempt, ProofResult.of(proof, threshold))
    folder.event("proved", attempt=number, percent=proof.percent, tried=len(fates))
    if proof.scores is not None and proof.scores.gap:
        progress(f"attempt {number}: {proof.scores.gap}")
    if proof.scores is not None and proof.scores.weakness:
        progress(f"attempt {number}: {proof.scores.weakness}")
    problem = proof.blindness if threshold is None else proof.shortfall(threshold)
    update: RunState = {"scores": proof.scores}
    return {**update, "failure": problem} if problem is not None else update


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


def _fate(placed: PlacedMutant, results: Sequence[TrialResult]) -> Fate:
    mutant = placed.mutant
    noticing = [
        (result.parts[-1].name, result.failed.name)
        for result in results
        # What breaks for another reason has noticed nothing.
        if result.failed is not None
        and result.failure is not None
        and result.failure.failure_class is not FailureClass.ENVIRONMENT
    ]
    return Fate(
        path=placed.path,
        line=mutant.line,
        operator=mutant.operator,
        change=mutant.description,
        killed_by=noticing[0][1] if noticing else None,
        noticed_by=tuple(part for part, _ in noticing),
    )
