"""SE, the software engineer: checks the preconditions, reads the files, asks the model for a proposal."""

from collections.abc import Sequence

from factory.attempt.failure import Failure, Stage
from factory.attempt.parse import parse_answer
from factory.attempt.prompt import AgentsFile, ContextFile, PreviousAttempt, build_messages
from factory.attempt.state import RunState
from factory.configuration.command_words import words_of
from factory.contract.answer import answer_schema
from factory.contract.canonical import EMPTY_SHA256, dump, sha256_hex
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.symbols.written import BadSymbol, parse_symbol
from factory.contract.text import decoded
from factory.contract.work_order import VERIFY_SCRIPT, WorkOrder
from factory.gates.checks.registry import gating_commands
from factory.llm.ledger.store import call_key
from factory.llm.port import Answer, FinishReason, ProviderError, Request
from factory.llm.spending.budget import BudgetReached
from factory.llm.template import transcript
from factory.runs.nodes.deps import Deps
from factory.runs.record.files import ANSWER, ANSWER_TEXT, PROMPT_TEXT, PROPOSAL
from factory.runs.record.model import AnswerRecord
from factory.runs.shown.agents_files import nearest_agents
from factory.runs.shown.consumed import as_defined
from factory.system.files.tree import FileProblem, Tree


def propose(state: RunState, deps: Deps) -> RunState:
    """Ask for a proposal, unless the work order can't be carried out on these files."""
    number = state["attempt"]
    deps.progress(f"attempt {number} of {deps.max_attempts}: SE asks {deps.model.adapter} {deps.model.name}")
    deps.folder.event("attempt_started", attempt=number)
    folder = deps.folder.attempt(number)
    defect = plan_defect(deps.order, deps.checkout.tree)
    if defect is not None:
        return {"failure": defect}
    files = read_context(deps.order, deps.checkout.tree)
    if isinstance(files, Failure):
        return {"failure": files}
    messages = build_messages(
        deps.template,
        deps.order.model_copy(update={"consumes": as_defined(deps.order, deps.checkout.tree)}),
        files,
        _previous(state),
        checks=gating_commands(deps.checks),
        agents=_nearest_agents(files, deps),
        notes=deps.notes,
        has_script=deps.checkout.tree.exists(VERIFY_SCRIPT),
    )
    folder.text(PROMPT_TEXT, transcript(messages))
    request = Request(
        purpose="propose",
        messages=messages,
        schema_name="write_proposal",
        answer_schema=answer_schema(
            deps.order.allowed_files, [*(file.sha256 for file in files), EMPTY_SHA256]
        ),
        parameters=deps.parameters,
        attempt=number,
        subject=deps.contract,
    )
    try:
        answer = deps.model.complete(request)
    except (ProviderError, BudgetReached) as error:
        return {"failure": Failure.of(error)}
    folder.text(ANSWER_TEXT, answer.text)
    ANSWER.write(folder.path, AnswerRecord.of(answer))
    deps.folder.event(
        "answered", attempt=number, usage=dump(answer.usage), finish_reason=answer.finish_reason
    )
    paid: RunState = {
        "answer": call_key(deps.model.adapter, deps.model.name, request),
        "usage": answer.usage,
    }
    proposal = parse_answer(answer, {file.path: file.content for file in files if file.content is not None})
    if isinstance(proposal, Failure):
        return {**paid, "failure": proposal, "unread_reply": _repeatable(answer)}
    PROPOSAL.write(folder.path, proposal)
    return {**paid, "proposal": proposal}


def plan_defect(order: WorkOrder, tree: Tree) -> Failure | None:
    """What makes a work order impossible on these files, whatever a model says; None if nothing does."""
    return _unusable_command(order) or _unreadable_symbol(order) or _unmet_precondition(order, tree)


def read_context(order: WorkOrder, tree: Tree) -> list[ContextFile] | Failure:
    """The files that the model sees: the context files, then those allowed files that exist.

    Returns:
        The files, whole; or the failure, if one can't be shown or all together are too large.
    """
    files: list[ContextFile] = []
    total = 0
    for path in dict.fromkeys([*order.context_files, *order.allowed_files]):
        try:
            found = tree.read(path, max_bytes=MAX_CONTEXT_BYTES)
        except FileProblem as error:
            return Failure.plan_defect(
                Stage.PREFLIGHT,
                f"`{path}` {error.message}",
                where=path,
                hint="take it out of the work order",
            )
        if found is None:
            if path in order.context_files:
                files.append(ContextFile(path, None))
            continue
        text, problem = decoded(found.data)
        if problem:
            use = "a write target" if path in order.allowed_files else "a context file"
            return Failure.plan_defect(
                Stage.PREFLIGHT,
                f"`{path}` {problem}, so it can't be {use}",
                where=path,
                hint="take it out of the work order",
            )
        total += len(found.data)
        files.append(ContextFile(path, text, sha256_hex(found.data)))
    if total > MAX_CONTEXT_BYTES:
        return Failure.plan_defect(
            Stage.PREFLIGHT,
            f"the files to show have {total:,} bytes together; the limit is {MAX_CONTEXT_BYTES:,}",
            hint="name fewer or smaller context files, or split the work order",
        )
    return files


def _nearest_agents(files: Sequence[ContextFile], deps: Deps) -> tuple[AgentsFile, ...]:
    """The AGENTS.md files that concern the work order, without those that are shown anyway."""
    shown = {file.path for file in files if file.content is not None}
    concerned = [*deps.order.context_files, *deps.order.allowed_files]
    found = nearest_agents(deps.checkout.git, deps.checkout.baseline, concerned)
    for file in found:
        if file.problem:
            deps.progress(f"{file.path} {file.problem}, so the model is not shown it")
    return tuple(file for file in found if file.path not in shown)


def _unusable_command(order: WorkOrder) -> Failure | None:
    for command in order.acceptance_commands:
        if words_of(command) is None:
            return Failure.plan_defect(
                Stage.PREFLIGHT,
                "an acceptance command can't be executed: it can't be split into words, or names no program",
                where=command,
                hint="correct its quotes in the work order",
            )
    return None


def _unreadable_symbol(order: WorkOrder) -> Failure | None:
    for text in (*order.provides, *order.consumes):
        try:
            parse_symbol(text)
        except BadSymbol as error:
            return Failure.plan_defect(
                Stage.PREFLIGHT,
                f"a symbol that the work order declares can't be read: it {error.message}",
                where=text,
                hint="see `planner explain E304`",
            )
    return None


def _unmet_precondition(order: WorkOrder, tree: Tree) -> Failure | None:
    for condition in order.preconditions:
        exists = tree.exists(condition.path)
        if not condition.holds(exists):
            state = "exists" if exists else "does not exist"
            return Failure.plan_defect(
                Stage.PREFLIGHT,
                f"the precondition {condition.kind} does not hold: `{condition.path}` {state}",
                where=condition.path,
                hint="run the work orders in their order, or correct the plan",
            )
    return None


def _previous(state: RunState) -> PreviousAttempt | None:
    failure = state.get("previous_failure")
    if failure is None:
        return None
    return PreviousAttempt(state.get("previous_proposal"), failure, state.get("previous_reply") or "")


def _repeatable(answer: Answer) -> str | None:
    """What the next prompt repeats of an answer that is no proposal: one that was given to its end."""
    return answer.text if answer.finish_reason is FinishReason.STOP else None
