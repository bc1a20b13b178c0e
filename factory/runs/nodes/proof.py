"""The kill proof: the checks of a passed attempt run on mutants of what it wrote, and should notice each.

Nothing of it lands: the tree of the attempt was recorded before.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from factory.attempt.failure import FailureClass
from factory.attempt.state import RunState
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.repo_path import RepoPath
from factory.gates.check import CheckContext
from factory.gates.checks.registry import carried_out
from factory.gates.execute import Executor
from factory.gates.landing_tree import LandingTree
from factory.mutation.kill_proof import Fate, KillProof, Trial, is_product_code, trials, written_lines
from factory.runs.nodes.deps import Deps
from factory.runs.record.files import KILL_PROOF
from factory.runs.record.model import ProofResult
from factory.system.files.tree import FoundFile

_LEAST_SECONDS: Final = 10.0
_PATIENCE: Final = 5.0
"""A mutant's command may take so many times as long as the slowest command of the attempt."""


def prove(state: RunState, deps: Deps) -> RunState:
    """Try mutants of the written lines; record the score, and fail an attempt that is below the threshold."""
    if deps.mutants == 0:
        return {}
    number = state["attempt"]
    deps.progress(f"attempt {number}: mutants of what was written, to see whether the checks notice")
    files = _written(state, deps)
    sources = {path: found.data.decode("utf-8") for path, found in files.items() if is_product_code(path)}
    lines = {path: _lines(state, deps, path) for path in sources}
    tried = trials(sources, lines, deps.mutants)
    seconds = min(deps.timeout_seconds, _LEAST_SECONDS + _PATIENCE * state["slowest_seconds"])
    fates = [_fate(trial, files, deps, number, index, seconds) for index, trial in enumerate(tried, start=1)]
    if fates:
        _put(files, deps)
    proof = KillProof(verdict="measured" if fates else "not measured", fates=tuple(fates))
    result = ProofResult(
        verdict=proof.verdict, fates=proof.fates, percent=proof.percent, threshold=deps.kill_threshold
    )
    KILL_PROOF.write(deps.folder.opened_attempt(number).path, result)
    deps.folder.event("proved", attempt=number, percent=proof.percent, tried=len(fates))
    problem = proof.shortfall(deps.kill_threshold) if deps.kill_threshold is not None else None
    return {"failure": problem} if problem is not None else {}


def _written(state: RunState, deps: Deps) -> dict[RepoPath, FoundFile]:
    """The files that the attempt wrote, as they are in the checkout."""
    proposal = state["proposal"]
    assert proposal is not None
    tree = deps.checkout.tree
    found = {write.path: tree.read(write.path, max_bytes=MAX_CONTEXT_BYTES) for write in proposal.writes}
    return {path: file for path, file in found.items() if file is not None}


def _lines(state: RunState, deps: Deps, path: RepoPath) -> frozenset[int]:
    tree = state["tree"]
    assert tree is not None
    baseline = deps.checkout.baseline
    patch = deps.checkout.git.output(
        "diff-tree",
        "-r",
        "-p",
        "-U0",
        "--no-renames",
        "--no-ext-diff",
        # Whatever attributes say, these lines are text.
        "--text",
        "--no-color",
        baseline,
        tree,
        "--",
        path,
    )
    return written_lines(patch)


def _put(files: Mapping[RepoPath, FoundFile], deps: Deps) -> str:
    """Make the checkout hold the baseline with these files and nothing else; git's id of that tree.

    What commands left would decide the next result: their own files, and compiled modules, which Python takes
    for those of a source with the same size and second.
    """
    deps.checkout.restore()
    for path, found in files.items():
        deps.checkout.tree.write(path, found.data, mode=found.mode)
    return deps.checkout.stage(sorted(files))


def _fate(
    trial: Trial,
    files: Mapping[RepoPath, FoundFile],
    deps: Deps,
    attempt: int,
    number: int,
    seconds: float,
) -> Fate:
    checkout, mutant = deps.checkout, trial.mutant
    changed = replace(files[trial.path], data=mutant.source.encode("utf-8"))
    tree = _put({**files, trial.path: changed}, deps)
    folder = deps.folder.path / f"attempt_{attempt}" / "mutants" / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    context = CheckContext(
        order=deps.order,
        exempt=deps.order.verify_exempt,
        tree=checkout.tree,
        landing=LandingTree(checkout.git, tree),
        execute=Executor(checkout, deps.gate_environment, seconds, folder, deps.stop, deps.terms),
        temporary=checkout.temporary,
        folder=folder,
    )
    killed_by = _killed_by(deps, context)
    return Fate(
        path=trial.path,
        line=mutant.line,
        operator=mutant.operator,
        change=mutant.description,
        killed_by=killed_by,
    )


def _killed_by(deps: Deps, context: CheckContext) -> str | None:
    """The check that notices; acceptance first, because it is about these lines and quicker."""
    for part in reversed(deps.checks):
        for check in part.checks:
            result = carried_out(check, context, part.stage)
            if not result.passed:
                failure = result.failure
                broken = failure is not None and failure.failure_class is FailureClass.ENVIRONMENT
                # What breaks for another reason has noticed nothing.
                return None if broken else result.name
    return None
