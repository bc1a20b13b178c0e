"""The kill proof: the checks of a passed attempt run on mutants of what it wrote, and should notice each.

Nothing of it lands: the tree of the attempt was recorded before.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from factory.attempt.failure import FailureClass
from factory.attempt.state import RunState
from factory.contract.canonical import dump
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import JsonObject
from factory.gates.check import CheckContext
from factory.gates.execute import Executor
from factory.gates.landing_tree import LandingTree
from factory.gates.trial import Trial, TrialResult, try_out
from factory.mutation.kill_proof import (
    Fate,
    KillProof,
    PlacedMutant,
    chosen_mutants,
    is_product_code,
    written_lines,
)
from factory.runs.nodes.deps import Deps
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
    chosen = chosen_mutants(sources, lines, deps.mutants)
    seconds = min(deps.timeout_seconds, _LEAST_SECONDS + _PATIENCE * state["slowest_seconds"])
    fates = [
        _fate(placed, files, deps, number, index, seconds) for index, placed in enumerate(chosen, start=1)
    ]
    if fates:
        _put(files, deps)
    proof = KillProof(verdict="measured" if fates else "not measured", fates=tuple(fates))
    document = dump(proof)
    assert isinstance(document, dict)
    told: JsonObject = {**document, "percent": proof.percent, "threshold": deps.kill_threshold}
    deps.folder.opened_attempt(number).document("kill_proof.json", told)
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
    placed: PlacedMutant,
    files: Mapping[RepoPath, FoundFile],
    deps: Deps,
    attempt: int,
    number: int,
    seconds: float,
) -> Fate:
    checkout, mutant = deps.checkout, placed.mutant
    changed = replace(files[placed.path], data=mutant.source.encode("utf-8"))
    tree = _put({**files, placed.path: changed}, deps)
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
    # Acceptance first, because it is about these lines and quicker.
    result = try_out(Trial(deps.order, tree, deps.checks[::-1]), context)
    return Fate(
        path=placed.path,
        line=mutant.line,
        operator=mutant.operator,
        change=mutant.description,
        killed_by=_killed_by(result),
    )


def _killed_by(result: TrialResult) -> str | None:
    failure = result.failure
    # What breaks for another reason has noticed nothing.
    is_broken = failure is not None and failure.failure_class is FailureClass.ENVIRONMENT
    return None if result.failed is None or is_broken else result.failed.name
