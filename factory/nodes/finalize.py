"""finalize: lands a passed attempt, or puts the baseline back and decides whether another attempt follows."""

from factory.contract.canonical import dump
from factory.contract.strict_json import JsonObject
from factory.failure import Failure, FailureClass, Stage
from factory.landing import commit_message
from factory.nodes.deps import Deps
from factory.prompt import dump_brief
from factory.repository import LandingFailed, land
from factory.routing import spends_attempt
from factory.state import RunState


def finalize(state: RunState, deps: Deps) -> RunState:
    """Save the difference, then land or restore."""
    number = state["attempt"]
    tree = state.get("tree")
    if tree is not None:
        deps.folder.opened_attempt(number).data("changes.diff", deps.checkout.difference(tree))
    failure = Failure.model_validate(state["failure"]) if state.get("failure") else None
    if failure is None:
        assert tree is not None
        landed = _land(state, deps, tree)
        if not isinstance(landed, Failure):
            record: JsonObject = {"attempt": number, "passed": True, "failure": None}
            return {"attempts": [*state["attempts"], record], "verdict": "landed", "commit": landed}
        failure = landed
    return _give_back(state, deps, failure)


def _land(state: RunState, deps: Deps, tree: str) -> str | Failure:
    proposal = state["proposal"]
    assert proposal is not None
    message = commit_message(deps.order, str(proposal["summary"]), deps.contract, deps.run_id)
    git = deps.target.git
    commit = git.text(
        "commit-tree", tree, "-p", deps.target.baseline, "-F", "-", stdin=message.encode("utf-8")
    )
    try:
        land(deps.target, commit)
    except LandingFailed as error:
        return Failure(
            stage=Stage.EXCEPTION,
            failure_class=FailureClass.ENVIRONMENT,
            message=error.message,
            where=error.where,
            hint=error.hint,
        )
    # The new tip is what an attempt in place goes back to from now on.
    deps.checkout.own_git.take()
    deps.progress(f"landed {commit[:12]} on {deps.target.branch}")
    deps.folder.event("landed", attempt=state["attempt"], commit=commit, tree=tree, branch=deps.target.branch)
    return commit


def _give_back(state: RunState, deps: Deps, failure: Failure) -> RunState:
    number = state["attempt"]
    deps.folder.opened_attempt(number).document("failure_brief.json", dump(failure))
    deps.folder.event(
        "attempt_failed", attempt=number, stage=failure.stage, failure_class=failure.failure_class
    )
    deps.progress(f"attempt {number} failed at {failure.stage}: {failure.message}")
    deps.checkout.restore()
    record: JsonObject = {"attempt": number, "passed": False, "failure": dump_brief(failure)}
    update: RunState = {"attempts": [*state["attempts"], record]}
    if not spends_attempt(failure):
        update["verdict"] = "stopped"
    elif number >= deps.max_attempts:
        update["verdict"] = "failed"
    else:
        update["attempt"] = number + 1
        update["previous_proposal"] = state.get("proposal")
        update["previous_failure"] = dump_brief(failure)
        update["proposal"] = None
        update["tree"] = None
        update["failure"] = None
        return update
    update["failure"] = dump_brief(failure)
    return update
