"""The graph's state: what the nodes of one run hand to each other, as values that were parsed once.

A node returns the keys that it changes. The graph library drops a misspelt key without a word, therefore
the update's type is closed and `final_state` validates what comes out of the graph.
"""

from typing import Literal

from pydantic import ConfigDict, TypeAdapter, with_config
from typing_extensions import TypedDict

from factory.attempt.failure import Failure
from factory.attempt.outcome import VerdictKind
from factory.attempt.summary import AttemptSummary, KillScores
from factory.contract.proposal import WriteProposal
from factory.llm.port import Usage

Verdict = Literal["landed", "passed", "failed", "stopped"]


@with_config(ConfigDict(extra="forbid"))
class RunState(TypedDict, total=False):
    """What the nodes of one run hand to each other.

    Keys:
        attempt: the number of the attempt under way, from 1.
        proposal: the proposal of this attempt.
        unread_reply: what the model said in this attempt, if no proposal could be read out of it.
        tree: git's id of the tree with the proposal's files, once they are written.
        answer: the ledger's name of this attempt's answer; None while there is none.
        usage: its tokens; None while there is none.
        slowest_seconds: how long the slowest command of this attempt's checks took, once they have passed.
        model: who gave this attempt's answer, by the adapter's name and its own; empty while there is none.
        generated_by: who wrote the proposal, as `adapter:model`; `plan` if its texts stand in the plan.
        known_by: how it can be known that the acceptance commands of this attempt passed.
        removed_tests: the ids of the tests that passed before and that it removed from files it may write.
        scores: how many mutants of this attempt were noticed; None if none were tried.
        failing_tests: the ids of the tests that failed in this attempt, as far as they are known.
        failure: why this attempt failed; None while it has not.
        previous_proposal: the last proposal that could be read, for the retry's prompt.
        previous_reply: the `unread_reply` of the attempt before, for the retry's prompt.
        previous_failure: why the attempt before failed.
        earlier_failure: why `previous_proposal` failed, if it is not of the attempt before.
        attempts: one summary for each finished attempt.
        verdict: how the run ended; None while it goes on.
        commit: the commit that landed.
    """

    attempt: int
    proposal: WriteProposal | None
    unread_reply: str | None
    tree: str | None
    answer: str | None
    usage: Usage | None
    slowest_seconds: float
    model: str
    generated_by: str
    known_by: VerdictKind
    removed_tests: tuple[str, ...]
    scores: KillScores | None
    failing_tests: tuple[str, ...]
    failure: Failure | None
    previous_proposal: WriteProposal | None
    previous_reply: str | None
    previous_failure: Failure | None
    earlier_failure: Failure | None
    attempts: tuple[AttemptSummary, ...]
    verdict: Verdict | None
    commit: str | None


_ADAPTER: TypeAdapter[RunState] = TypeAdapter(RunState)


def final_state(value: object) -> RunState:
    """Validate the graph's result.

    Raises:
        pydantic.ValidationError: a node wrote something that is no part of the state, which is a bug.
    """
    return _ADAPTER.validate_python(value, strict=True)
