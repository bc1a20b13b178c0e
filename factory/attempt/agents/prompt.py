"""The prompt of an agent that works in a checkout: stable text, the work order, which files it is about, and
last why the attempt before failed. The files themselves it reads where it works.

Pure. What comes from the plan, a person, a model or a command is quoted, so that it stays text.
"""

import json
from collections.abc import Collection, Sequence

from factory.attempt.prompt import (
    beside_specification_text,
    hints_text,
    notes_text,
    order_text,
    packages_text,
    specification_text,
    spoken_verification,
)
from factory.attempt.retry import PreviousAttempt, write_text
from factory.contract.note import Note
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.languages.port import Verification
from factory.llm.port import Message
from factory.llm.template import fill, quoted
from factory.specification.passages import Passages

AGENT_TEMPLATE = "prompts/agent_engineer.md"


def build_agent_messages(
    template: str,
    order: WorkOrder,
    present: Collection[RepoPath],
    previous: PreviousAttempt | None,
    *,
    checks: Sequence[str],
    notes: Sequence[Note],
    has_script: bool,
    verification: Sequence[Verification],
    packages: Sequence[str],
    passages: Passages | None,
    hints: Sequence[str] = (),
) -> tuple[Message, ...]:
    """The messages for one attempt.

    Args:
        template: the system text of `templates/prompts/agent_engineer.md`.
        order: the work order, its consumed symbols as the repository defines them.
        present: those of its context files and allowed files that exist.
        previous: the failed attempt before, on a retry.
        checks: the commands that the repository's configuration adds to the verification.
        notes: what the user wants the agent to know, in a fixed order.
        has_script: whether the repository has a verification script.
        verification: what verifies it without one.
        packages: those that its files may import, each with its version.
        passages: what the specification says of its requirements.
        hints: what a person says to this attempt.

    Raises:
        WorkorderError: the template has an unknown placeholder.
    """
    parts = [
        order_text(
            order,
            checks,
            spoken_verification(order, has_script, verification),
            is_specified=passages is not None,
        ),
        *specification_text(passages),
        *beside_specification_text(passages),
        _files_text(order, present),
        *packages_text(packages),
        *notes_text(notes),
        *_retry_text(previous),
        *hints_text(hints),
    ]
    return (
        Message(role="system", content=fill(template, {}, source=AGENT_TEMPLATE)),
        Message(role="user", content="\n\n".join(parts)),
    )


def _files_text(order: WorkOrder, present: Collection[RepoPath]) -> str:
    lines = ["# The files", ""]
    for path in dict.fromkeys([*order.context_files, *order.allowed_files]):
        may = "may be written" if path in order.allowed_files else "read only"
        lines.append(f"- `{path}` ({may}){'' if path in present else ' does not exist'}")
    return "\n".join(lines)


def _retry_text(previous: PreviousAttempt | None) -> list[str]:
    if previous is None:
        return []
    parts = ["# Your attempt before failed\n\nEverything it changed was undone."]
    if previous.proposal is not None:
        parts.append("Its last words:\n" + quoted("summary", previous.proposal.summary))
        parts += [write_text(write, None) for write in previous.proposal.writes]
    document = previous.failure.model_dump(mode="json", exclude={"failure_class", "excerpt", "test"})
    brief = {key: value for key, value in document.items() if value not in ("", None)}
    reason = json.dumps(brief, ensure_ascii=False, indent=2)
    parts.append("It failed for this reason:\n" + quoted("failure", reason))
    if previous.failure.excerpt:
        parts.append(
            "The output or the changes in question, shortened:\n" + quoted("output", previous.failure.excerpt)
        )
    parts.append("Find the cause, then do the whole work order again.")
    return parts
