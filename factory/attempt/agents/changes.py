"""From what an agent changed to a `WriteProposal`, or the failure that says why it is none. Pure."""

from factory.attempt.brief import excerpt
from factory.attempt.failure import Failure, Stage
from factory.contract.proposal import WriteProposal
from factory.llm.agents.answer import AgentAnswer, Refused
from factory.llm.port import FinishReason

_NAMED = 10


def proposal_of(changed: AgentAnswer, finish_reason: FinishReason) -> WriteProposal | Failure:
    """The proposal that an agent's changes are.

    Args:
        changed: what it changed.
        finish_reason: why it ended.
    """
    if finish_reason is not FinishReason.STOP:
        refused = finish_reason is FinishReason.REFUSAL
        return Failure.model_defect(
            Stage.LLM_OUTPUT_INVALID,
            f"the agent {'refused' if refused else 'reached a limit of its own'} before it was done",
            where="the agent",
        )
    if changed.refused:
        return _refused(changed)
    if not changed.writes:
        return Failure.model_defect(
            Stage.LLM_OUTPUT_INVALID,
            f"the agent ended without a change of an allowed file{_last_words(changed)}",
            where="the agent",
            hint="do what the work order asks for, in the files that it allows",
        )
    return WriteProposal(summary=changed.summary, writes=changed.writes)


def _refused(changed: AgentAnswer) -> Failure:
    first = changed.refused[0]
    named = "; ".join(_said(refused) for refused in changed.refused[:_NAMED])
    more = len(changed.refused) - _NAMED
    return Failure.model_defect(
        Stage.WRITE_SCOPE_VIOLATION,
        named + (f"; and {more} more" if more > 0 else ""),
        where=first.path,
        hint=first.hint,
        excerpt=excerpt(changed.diff),
    )


def _said(refused: Refused) -> str:
    return f"`{refused.path}` {refused.why}"


def _last_words(changed: AgentAnswer) -> str:
    return f"; its last words: {changed.summary[:500]}" if changed.summary else ""
