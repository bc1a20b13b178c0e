"""finalize: lands a passed attempt, or leaves that to a build; restores the baseline after a failed one."""

from collections.abc import Callable, Set
from dataclasses import replace

from factory.attempt.brief import excerpt
from factory.attempt.commit.authorship import Authorship
from factory.attempt.failure import Failure
from factory.attempt.routing import blamed_on_plan, spends_attempt
from factory.attempt.state import RunState
from factory.attempt.summary import AttemptSummary
from factory.attempt.telling_line import with_telling_line
from factory.checkout.workspace import Checkout
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.repository.commit import make_commit
from factory.repository.landing import LandingFailed, land
from factory.repository.target import Target
from factory.runs.record.files import FAILURE_BRIEF
from factory.runs.record.folder import RunFolder
from factory.system.process.signals import shielded


def finalize(
    state: RunState,
    *,
    land: Callable[[RunState], str | Failure] | None,
    max_attempts: int,
    is_given: bool,
    checkout: Checkout,
    folder: RunFolder,
    progress: Callable[[str], None],
) -> RunState:
    """Land or restore; without `land`, an attempt that passed only counts as passed.

    If the plan gives the files, another attempt would write the same again.
    """
    failure = state.get("failure")
    if failure is None:
        if land is None:
            return {"attempts": _attempts_with(state, None), "verdict": "passed"}
        landed = land(state)
        if not isinstance(landed, Failure):
            return {"attempts": _attempts_with(state, None), "verdict": "landed", "commit": landed}
        failure = landed
    if is_given:
        failure = blamed_on_plan(failure)
    number = state["attempt"]
    FAILURE_BRIEF.write(folder.opened_attempt(number).path, failure)
    folder.event("attempt_failed", attempt=number, stage=failure.stage, failure_class=failure.failure_class)
    why = with_telling_line(failure.headline, failure.excerpt)
    progress(f"attempt {number} failed at {failure.stage}: {why}")
    checkout.restore()
    return _after_failure(state, failure, max_attempts)


def _after_failure(state: RunState, failure: Failure, max_attempts: int) -> RunState:
    """The end of the run, or the start of the next attempt."""
    number = state["attempt"]
    update: RunState = {"attempts": _attempts_with(state, failure)}
    if not spends_attempt(failure):
        update["verdict"] = "stopped"
    elif number >= max_attempts:
        update["verdict"] = "failed"
    else:
        update["attempt"] = number + 1
        if state.get("proposal") is not None:
            update["previous_proposal"] = state["proposal"]
            update["earlier_failure"] = None
        elif state.get("previous_proposal") is not None:
            # An answer that could not be read: there is still the proposal before it.
            update["earlier_failure"] = state.get("earlier_failure") or state.get("previous_failure")
        update["previous_reply"] = state.get("unread_reply")
        update["previous_failure"] = failure
        update["proposal"] = None
        update["unread_reply"] = None
        update["tree"] = None
        update["failure"] = None
        update["failing_tests"] = ()
        update["answer"] = None
        update["model"] = ""
        update["usage"] = None
        update["scores"] = None
        return update
    update["failure"] = failure
    return update


def _attempts_with(state: RunState, failure: Failure | None) -> tuple[AttemptSummary, ...]:
    """The summaries of all attempts, this one included."""
    proposal = state.get("proposal")
    summary = AttemptSummary(
        attempt=state["attempt"],
        passed=failure is None,
        summary=excerpt(proposal.summary) if proposal is not None else None,
        remarks=proposal.remarks if proposal is not None else (),
        failure=failure,
        answer=state.get("answer"),
        model=state.get("model", ""),
        usage=state.get("usage"),
        scores=state.get("scores"),
    )
    return (*state["attempts"], summary)


def land_attempt(
    state: RunState,
    *,
    order: WorkOrder,
    run_id: str,
    target: Target,
    environment: str,
    checkout: Checkout,
    accepted: Set[RepoPath],
    authorship: Authorship,
    folder: RunFolder,
    progress: Callable[[str], None],
) -> str | Failure:
    """The commit that landed, or why none did."""
    proposal, tree = state["proposal"], state["tree"]
    assert proposal is not None
    assert tree is not None
    try:
        commit = make_commit(
            target.git,
            order,
            summaries=proposal.summaries,
            run_id=run_id,
            known_by=state["known_by"],
            environment=environment,
            authorship=replace(authorship, generated_by=state["generated_by"]),
            tree=tree,
            parent=target.baseline,
            accepted=accepted,
            scores=state.get("scores"),
            removed=len(state.get("removed_tests", ())),
        )
        with shielded():
            land(target, commit)
            checkout.advance()
    except LandingFailed as error:
        return Failure.of(error)
    progress(f"landed {commit[:12]} on {target.branch}")
    folder.event("landed", attempt=state["attempt"], commit=commit, tree=tree, branch=target.branch)
    return commit
