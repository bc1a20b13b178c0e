"""The kill proof: the checks of a passed attempt run on mutants of what it wrote, and should notice each.

Acceptance and verification judge each mutant, whatever the other says, in the order of the attempt: what the
verification builds, an acceptance command may need. Where nothing notices anything, one more pass tells which
of the changed lines are executed at all. Nothing of it lands: the tree of the attempt was recorded before.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Final

from factory.attempt.failure import FailureClass
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.build_cache import filled_build_cache
from factory.gates.checks.registry import OTHER_PROJECTS
from factory.gates.trial import TrialResult
from factory.mutation.kill_proof import (
    Fate,
    KillProof,
    PlacedMutant,
    chosen_mutants,
    is_product_code,
    unchangeable,
    written_lines,
)
from factory.runs.nodes.judges import Judges
from factory.runs.nodes.written import written_files
from factory.runs.record.files import KILL_PROOF
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import ProofResult
from factory.runs.settings import AttemptSettings
from factory.trials.conditions import Conditions
from factory.trials.conduct import found, put
from factory.trials.port import Trials

_LEAST_SECONDS: Final = 10.0
_PATIENCE: Final = 5.0
"""A mutant's command may take so many times as long as the slowest command of the attempt."""


def prove(
    state: RunState,
    *,
    order: WorkOrder,
    settings: AttemptSettings,
    conditions: Conditions,
    trials: Trials,
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
    bench, checkout, threshold = conditions.bench, conditions.bench.checkout, settings.kill_threshold
    tree, files = state["tree"], written_files(state, checkout)
    assert tree is not None
    sources = {file.path: file.text for file in files if is_product_code(file.path)}
    lines = {path: _lines(tree, checkout, path) for path in sources}
    judges = Judges(
        order,
        tree,
        files,
        conditions,
        trials,
        # Of a mutant only what is touched tells something.
        tuple(group.name for group in conditions.checks if group.name != OTHER_PROJECTS),
        min(bench.timeout_seconds, _LEAST_SECONDS + _PATIENCE * state["slowest_seconds"]),
        attempt / "mutants",
    )
    chosen = chosen_mutants(sources, lines, settings.mutants)
    compiled_once = any(placed.path.endswith(".go") for placed in chosen) and not trials.are_elsewhere
    if compiled_once:
        # Where the work order begins a module, what it wrote is compiled once for all mutants.
        put(found(files), checkout)
    with filled_build_cache(bench) if compiled_once else nullcontext():
        answers = judges.answers(chosen)
        tried = [(placed, answer) for placed, answer in zip(chosen, answers, strict=True) if answer.compiles]
        fates = tuple(_fate(placed, answer.results) for placed, answer in tried)
        unchanged = unchangeable(filter(is_product_code, (file.path for file in files)))
        proof = KillProof(verdict="measured" if fates else "not measured", fates=fates, unchanged=unchanged)
        if proof.is_doubtful:
            proof = judges.with_executed_lines(proof)
    if chosen and not trials.are_elsewhere:
        put(found(files), checkout)
    KILL_PROOF.write(attempt, ProofResult.of(proof, threshold))
    folder.event("proved", attempt=number, percent=proof.percent, tried=len(fates))
    for told in (proof.scores.gap, proof.scores.shortcoming) if proof.scores is not None else ():
        if told:
            progress(f"attempt {number}: {told}")
    problem = proof.blindness if threshold is None else proof.shortfall(threshold)
    update: RunState = {"scores": proof.scores}
    return {**update, "failure": problem} if problem is not None else update


def _lines(tree: str, checkout: Checkout, path: RepoPath) -> frozenset[int]:
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
