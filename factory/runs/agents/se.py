"""SE where an agent is the engineer: it works in the checkout, and what it changed there is the proposal."""

from collections.abc import Callable, Sequence

from factory.attempt.agents.changes import proposal_of
from factory.attempt.agents.prompt import build_agent_messages
from factory.attempt.commit.message import generator
from factory.attempt.failure import Failure
from factory.attempt.retry import PreviousAttempt
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.contract.canonical import dump
from factory.contract.identity import contract_hash
from factory.contract.work_order import VERIFY_SCRIPT, WorkOrder
from factory.environments.environment import Package
from factory.gates.checks.registry import gating_commands
from factory.gates.step import Begins, Step, StepKind
from factory.gates.trial import CheckGroup
from factory.llm.agents.answer import AgentAnswer
from factory.llm.ledger.store import recorded
from factory.llm.port import Answer, Message, Model, Parameters, ProviderError, Request
from factory.llm.spending.budget import BudgetReached
from factory.llm.template import transcript
from factory.people.hints import texts_for
from factory.runs.nodes.se import importable, verification_of
from factory.runs.plan_defect import plan_defect
from factory.runs.record.files import (
    AGENT,
    ANSWER,
    ANSWER_TEXT,
    PASSAGES,
    PROMPT_TEXT,
    PROPOSAL,
    REFUSED_CHANGES,
)
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import AnswerRecord, PassagesRecord
from factory.runs.record.remarks import tell_remarks
from factory.runs.settings import AttemptSettings
from factory.runs.shown.consumed import as_defined
from factory.specification.passages import Passages


def propose_by_agent(
    state: RunState,
    *,
    order: WorkOrder,
    settings: AttemptSettings,
    template: str,
    model: Model,
    checks: tuple[CheckGroup, ...],
    checkout: Checkout,
    passages: Passages | None,
    packages: Sequence[Package],
    folder: RunFolder,
    progress: Callable[[str], None],
    begins: Begins,
) -> RunState:
    """Let the agent work, unless the work order can't be carried out on these files."""
    number = state["attempt"]
    tree = checkout.tree
    folder.event("attempt_started", attempt=number)
    attempt = folder.attempt(number)
    defect = plan_defect(order, tree)
    if defect is not None:
        return {"failure": defect}
    hints = texts_for(folder.path.parent, contract_hash(order), number)
    messages = _messages(state, order, settings, template, checks, checkout, passages, packages, hints)
    if passages is not None:
        PASSAGES.write(attempt.path, PassagesRecord.of(passages))
    attempt.text(PROMPT_TEXT, transcript(messages))
    progress(
        f"attempt {number} of {settings.max_attempts}: the agent {generator(model.adapter, model.name)} works"
    )
    begins(Step(StepKind.ASKING, generator(model.adapter, model.name)))
    request = Request(
        purpose="propose",
        messages=messages,
        schema_name="agent_changes",
        answer_schema=None,
        # How a model is asked is nothing to an agent.
        parameters=Parameters(max_output_tokens=settings.parameters.max_output_tokens),
        attempt=number,
        subject=contract_hash(order),
        base=checkout.git.text("rev-parse", "--verify", f"{checkout.baseline}^{{tree}}"),
    )
    try:
        answered = recorded(model, request)
    except (ProviderError, BudgetReached) as error:
        return {"failure": Failure.of(error)}
    answer = answered.answer
    changed = AgentAnswer.of(answer.text)
    _record(answer, changed, number, folder)
    for contact in changed.network:
        if contact.refused:
            progress(f"attempt {number}: the agent could not reach {contact.target}: {contact.refused}")
    paid: RunState = {"answer": answered.key, "usage": answer.usage, "model": answered.identity}
    proposal = proposal_of(changed, answer.finish_reason)
    if isinstance(proposal, Failure):
        return {**paid, "failure": proposal}
    PROPOSAL.write(attempt.path, proposal)
    tell_remarks(order.id, proposal, progress)
    return {**paid, "proposal": proposal, "generated_by": generator(model.adapter, model.name)}


def _messages(
    state: RunState,
    order: WorkOrder,
    settings: AttemptSettings,
    template: str,
    checks: tuple[CheckGroup, ...],
    checkout: Checkout,
    passages: Passages | None,
    packages: Sequence[Package],
    hints: Sequence[str],
) -> tuple[Message, ...]:
    tree = checkout.tree
    has_script = (tree if order.project is None else tree.below(order.project)).exists(VERIFY_SCRIPT)
    return build_agent_messages(
        template,
        order.model_copy(update={"consumes": as_defined(order, tree)}),
        [path for path in (*order.context_files, *order.allowed_files) if tree.exists(path)],
        _previous(state),
        checks=gating_commands(checks),
        notes=settings.notes,
        has_script=has_script,
        verification=() if has_script else verification_of(order, checkout),
        packages=importable(packages),
        passages=passages,
        hints=hints,
    )


def _record(answer: Answer, changed: AgentAnswer, number: int, folder: RunFolder) -> None:
    attempt = folder.opened_attempt(number)
    attempt.text(ANSWER_TEXT, changed.transcript)
    AGENT.write(attempt.path, changed.record)
    ANSWER.write(attempt.path, AnswerRecord.of(answer))
    if changed.diff:
        attempt.text(REFUSED_CHANGES, changed.diff)
    folder.event(
        "answered",
        attempt=number,
        usage=dump(answer.usage),
        finish_reason=answer.finish_reason,
        changed=len(changed.writes),
        refused=len(changed.refused),
    )


def _previous(state: RunState) -> PreviousAttempt | None:
    failure = state.get("previous_failure")
    return PreviousAttempt(state.get("previous_proposal"), failure) if failure is not None else None
