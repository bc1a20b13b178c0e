"""finalize: lands a passed attempt, or leaves that to a build; restores the baseline after a failed one."""

from factory.attempt.brief import excerpt
from factory.attempt.commit_message import commit_message
from factory.attempt.failure import Failure
from factory.attempt.routing import spends_attempt
from factory.attempt.state import RunState
from factory.attempt.summary import AttemptSummary
from factory.repository.landing import LandingFailed, land
from factory.runs.nodes.deps import Deps
from factory.runs.record.files import FAILURE_BRIEF
from factory.system.process.signals import shielded


def finalize(state: RunState, deps: Deps) -> RunState:
    """Land or restore."""
    failure = state.get("failure")
    if failure is None:
        if not deps.lands:
            return {"attempts": _recorded(state, None), "verdict": "passed"}
        landed = _land(state, deps)
        if not isinstance(landed, Failure):
            return {"attempts": _recorded(state, None), "verdict": "landed", "commit": landed}
        failure = landed
    return _give_back(state, deps, failure)


def _land(state: RunState, deps: Deps) -> str | Failure:
    proposal, tree = state["proposal"], state["tree"]
    assert proposal is not None
    assert tree is not None
    message = commit_message(deps.order, proposal.summary, deps.contract, deps.run_id)
    git = deps.target.git
    commit = git.text(
        "commit-tree", tree, "-p", deps.target.baseline, "-F", "-", stdin=message.encode("utf-8")
    )
    try:
        with shielded():
            land(deps.target, commit)
            deps.checkout.landed()
    except LandingFailed as error:
        return Failure.of(error)
    deps.progress(f"landed {commit[:12]} on {deps.target.branch}")
    deps.folder.event("landed", attempt=state["attempt"], commit=commit, tree=tree, branch=deps.target.branch)
    return commit


def _give_back(state: RunState, deps: Deps, failure: Failure) -> RunState:
    number = state["attempt"]
    FAILURE_BRIEF.write(deps.folder.opened_attempt(number).path, failure)
    deps.folder.event(
        "attempt_failed", attempt=number, stage=failure.stage, failure_class=failure.failure_class
    )
    deps.progress(f"attempt {number} failed at {failure.stage}: {failure.told}")
    deps.checkout.restore()
    update: RunState = {"attempts": _recorded(state, failure)}
    if not spends_attempt(failure):
        update["verdict"] = "stopped"
    elif number >= deps.max_attempts:
        update["verdict"] = "failed"
    else:
        update["attempt"] = number + 1
        update["previous_proposal"] = state.get("proposal")
        update["previous_reply"] = state.get("unread_reply")
        update["previous_failure"] = failure
        update["proposal"] = None
        update["unread_reply"] = None
        update["tree"] = None
        update["failure"] = None
        update["answer"] = None
        update["usage"] = None
        return update
    update["failure"] = failure
    return update


def _recorded(state: RunState, failure: Failure | None) -> tuple[AttemptSummary, ...]:
    """The summaries of all attempts, this one included."""
    proposal = state.get("proposal")
    summary = AttemptSummary(
        attempt=state["attempt"],
        passed=failure is None,
        summary=excerpt(proposal.summary) if proposal is not None else None,
        failure=failure,
        answer=state.get("answer"),
        usage=state.get("usage"),
    )
    return (*state["attempts"], summary)
