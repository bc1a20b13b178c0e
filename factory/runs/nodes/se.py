"""SE, the software engineer: checks the preconditions, reads the files, asks the model for a proposal."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from factory.attempt.answers.parse import parse_answer
from factory.attempt.answers.versions import ContextFile, Versions
from factory.attempt.commit.message import generator
from factory.attempt.failure import Failure, Stage
from factory.attempt.prompt import AgentsFile, build_messages
from factory.attempt.retry import PreviousAttempt
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.contract.answer import answer_schema
from factory.contract.canonical import EMPTY_SHA256, dump, sha256_hex
from factory.contract.identity import contract_hash
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.text import decoded
from factory.contract.work_order import VERIFY_SCRIPT, Plan, WorkOrder
from factory.environments.environment import Package
from factory.gates.bench import seen_from
from factory.gates.checks.languages import reading
from factory.gates.checks.registry import gating_commands
from factory.gates.landing_tree import LandingTree
from factory.gates.step import Begins, Step, StepKind
from factory.gates.trial import CheckGroup
from factory.languages.port import Verification
from factory.languages.python.language import PYTHON
from factory.languages.table import default_verification, language_of
from factory.llm.ladder import who
from factory.llm.ledger.store import recorded
from factory.llm.port import Answer, FinishReason, Message, Model, ProviderError, Request
from factory.llm.spending.budget import BudgetReached
from factory.llm.template import transcript
from factory.people.hints import texts_for
from factory.runs.plan_defect import plan_defect
from factory.runs.record.files import ANSWER, ANSWER_TEXT, PASSAGES, PROMPT_TEXT, PROPOSAL
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import AnswerRecord, PassagesRecord
from factory.runs.record.remarks import tell_remarks
from factory.runs.settings import AttemptSettings
from factory.runs.shown.agents_files import nearest_agents
from factory.runs.shown.by_need import shown_by_need
from factory.runs.shown.consumed import as_defined
from factory.specification.passages import Passages
from factory.system.files.tree import FileProblem, Tree

_MOST_PROJECT_BYTES: Final = 8_000
"""A file that describes a project is shown unasked up to this size."""


def propose(
    state: RunState,
    *,
    order: WorkOrder,
    plan: Plan | None,
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
    """Ask for a proposal, unless the work order can't be carried out on these files."""
    number, tree = state["attempt"], checkout.tree
    folder.event("attempt_started", attempt=number)
    attempt, files = folder.attempt(number), _shown(order, tree, plan)
    if isinstance(files, Failure):
        return {"failure": files}
    has_script = (tree if order.project is None else tree.below(order.project)).exists(VERIFY_SCRIPT)
    in_blocks = settings.answer_format == "blocks"
    messages = build_messages(
        template,
        order.model_copy(update={"consumes": as_defined(order, tree)}),
        files,
        _previous(state),
        checks=gating_commands(checks),
        agents=_nearest_agents(files, order, checkout, progress),
        notes=settings.notes,
        has_script=has_script,
        verification=() if has_script else verification_of(order, checkout),
        packages=importable(packages),
        passages=passages,
        hints=texts_for(folder.path.parent, contract_hash(order), number),
        answer_format=settings.answer_format,
    )
    _keep(passages, attempt.path)
    attempt.text(PROMPT_TEXT, transcript(messages))
    asked = who(model, number)
    progress(f"attempt {number} of {settings.max_attempts}: SE asks {asked.adapter} {asked.name}")
    begins(Step(StepKind.ASKING, generator(asked.adapter, asked.name)))
    try:
        answered = recorded(model, _request(messages, order, settings, number))
    except (ProviderError, BudgetReached) as error:
        return {"failure": Failure.of(error)}
    answer = answered.answer
    attempt.text(ANSWER_TEXT, answer.text)
    ANSWER.write(attempt.path, AnswerRecord.of(answer))
    folder.event("answered", attempt=number, usage=dump(answer.usage), finish_reason=answer.finish_reason)
    paid: RunState = {"answer": answered.key, "usage": answer.usage, "model": answered.identity}
    versions = Versions.of(files, state.get("previous_proposal"))
    proposal = parse_answer(answer, versions, _hashes(order, files) if in_blocks else None)
    if isinstance(proposal, Failure):
        return {**paid, "failure": proposal, "unread_reply": _repeatable(answer)}
    PROPOSAL.write(attempt.path, proposal)
    tell_remarks(order.id, proposal, progress)
    return {**paid, "proposal": proposal, "generated_by": generator(answered.adapter, answered.model)}


def _keep(passages: Passages | None, folder: Path) -> None:
    if passages is not None:
        PASSAGES.write(folder, PassagesRecord.of(passages))


def verification_of(order: WorkOrder, checkout: Checkout) -> tuple[Verification, ...]:
    """What verifies the repository, or the project, when the work order has written its files."""
    commit, tree, project = checkout.baseline, checkout.tree, order.project
    if project is not None:
        commit, tree, order = f"{commit}:{project}", tree.below(project), seen_from(project, order)
    there = LandingTree(checkout.git, commit)
    return default_verification(frozenset([*there, *order.allowed_files]), reading(tree))


def importable(packages: Sequence[Package]) -> list[str]:
    """The packages that were asked for; none where there are only those that every project has."""
    asked = [package for package in packages if package.is_direct]
    if all(package.name == "pytest" for package in asked):
        return []
    return [f"{package.ecosystem}: {package.name} {package.version}".rstrip() for package in asked]


def _shown(order: WorkOrder, tree: Tree, plan: Plan | None) -> list[ContextFile] | Failure:
    """The files as the model sees them, or why the work order can't be carried out on them."""
    whole = plan_defect(order, tree) or read_context(order, tree)
    if isinstance(whole, Failure):
        return whole
    files = shown_by_need(order, whole, plan)
    return too_much(files) or files


def _hashes(order: WorkOrder, files: Sequence[ContextFile]) -> dict[str, str]:
    """The work order's files, with the hash of each as it is shown."""
    return {
        **dict.fromkeys(map(str, order.allowed_files), EMPTY_SHA256),
        **{str(file.path): file.sha256 for file in files},
    }


def _request(
    messages: tuple[Message, ...],
    order: WorkOrder,
    settings: AttemptSettings,
    attempt: int,
) -> Request:
    return Request(
        purpose="propose",
        messages=messages,
        schema_name="write_proposal",
        answer_schema=None if settings.answer_format == "blocks" else answer_schema(),
        parameters=settings.parameters,
        attempt=attempt,
        subject=contract_hash(order),
    )


def _project_files(order: WorkOrder, tree: Tree) -> list[RepoPath]:
    """What says how the files of a project are named and built, such as `go.mod`, but for Python's.

    An import in Go begins with the module's path, and a test in JavaScript is written as `type` says.
    """
    below = "" if order.project is None else f"{order.project}/"
    languages = {language_of(path) for path in order.allowed_files} - {None, PYTHON}
    paths = sorted(below + name for language in languages if language for name in language.project_files)
    return [
        path for path in map(RepoPath, paths) if len(_bytes(tree, path)) in range(1, _MOST_PROJECT_BYTES + 1)
    ]


def _bytes(tree: Tree, path: RepoPath) -> bytes:
    """What a file holds; nothing where it is not there, or can't be read."""
    try:
        file = tree.read(path, max_bytes=_MOST_PROJECT_BYTES)
    except FileProblem:
        return b""
    return file.data if file is not None and not decoded(file.data)[1] else b""


def read_context(order: WorkOrder, tree: Tree) -> list[ContextFile] | Failure:
    """The files that the model sees: the context files, then those allowed files that exist.

    Returns:
        The files, whole; or the failure, if one can't be shown.
    """
    files: list[ContextFile] = []
    for path in dict.fromkeys([*order.context_files, *_project_files(order, tree), *order.allowed_files]):
        try:
            file = tree.read(path, max_bytes=MAX_CONTEXT_BYTES)
        except FileProblem as error:
            return Failure.plan_defect(
                Stage.PREFLIGHT,
                f"`{path}` {error.message}",
                where=path,
                hint="take it out of the work order",
            )
        if file is None:
            if path in order.context_files:
                files.append(ContextFile(path, None))
            continue
        text, problem = decoded(file.data)
        if problem:
            use = "a write target" if path in order.allowed_files else "a context file"
            return Failure.plan_defect(
                Stage.PREFLIGHT,
                f"`{path}` {problem}, so it can't be {use}",
                where=path,
                hint="take it out of the work order",
            )
        files.append(ContextFile(path, text, sha256_hex(file.data)))
    return files


def too_much(files: Sequence[ContextFile]) -> Failure | None:
    """Why the files can't be shown together; None if they can."""
    shown = (file.content if file.part is None else file.part for file in files)
    total = sum(len(text.encode("utf-8")) for text in shown if text is not None)
    if total <= MAX_CONTEXT_BYTES:
        return None
    return Failure.plan_defect(
        Stage.PREFLIGHT,
        f"the files to show have {total:,} bytes together; the limit is {MAX_CONTEXT_BYTES:,}",
        hint="name fewer or smaller context files, or split the work order",
    )


def _nearest_agents(
    files: Sequence[ContextFile], order: WorkOrder, checkout: Checkout, progress: Callable[[str], None]
) -> tuple[AgentsFile, ...]:
    """The AGENTS.md files that concern the work order, without those that are shown anyway."""
    shown = {file.path for file in files if file.content is not None}
    concerned = [*order.context_files, *order.allowed_files]
    nearest = nearest_agents(checkout.git, checkout.baseline, concerned)
    for file in nearest:
        if file.problem:
            progress(f"{file.path} {file.problem}, so the model is not shown it")
    return tuple(file for file in nearest if file.path not in shown)


def _previous(state: RunState) -> PreviousAttempt | None:
    failure = state.get("previous_failure")
    if failure is None:
        return None
    return PreviousAttempt(
        state.get("previous_proposal"),
        failure,
        state.get("previous_reply") or "",
        state.get("earlier_failure"),
    )


def _repeatable(answer: Answer) -> str | None:
    """What the next prompt repeats of an answer that is no proposal: one that was given to its end."""
    return answer.text if answer.finish_reason is FinishReason.STOP else None
