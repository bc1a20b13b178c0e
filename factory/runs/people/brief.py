"""What a person must know who does a work order by hand, as plain text. Pure.

Plain, because most of it is a model's words: there is no mark-up in it that they could use.
"""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import indent

from factory.attempt.failure import Failure
from factory.contract.work_order import Plan, WorkOrder, requirements_of
from factory.people.adoptions import Opened
from factory.system.terminal.console import one_line, visible


def render_brief(
    order: WorkOrder,
    plan: Plan | None,
    opened: Opened,
    failure: Failure | None,
    written: Sequence[str],
    left_out: Mapping[str, str],
    adopt: str,
) -> str:
    """The text.

    Args:
        order: the work order.
        plan: the plan that it is a part of; None if there is none at hand.
        opened: where it is to be done.
        failure: why the last attempt failed; None if that is not known.
        written: the proposed files that are in the worktree.
        left_out: why others are not, by their paths.
        adopt: the command that takes it.
    """
    lines = [
        f"{order.id}  {one_line(order.title)}",
        "",
        f"Yours to do by hand in {one_line(opened.place)}",
        f"  on the branch {opened.branch}, which begins at {opened.base[:12]}",
        f"When it is done: {adopt}",
        "",
        *_items("The failed attempt proposed these files; they are there, uncommitted", written),
        *_items("Proposed, but not there", (f"{path}: {why}" for path, why in left_out.items())),
        *_block("What is to be done", order.intent),
        *_requirements(order, plan),
        *_items("It may write", order.allowed_files),
        *_items("It must not write", map(str, order.forbidden)),
        *_items("Worth reading", order.context_files),
        *_items("It promises", (condition.path for condition in order.postconditions), "exists: "),
        *_items("It provides", order.provides),
        *_items("These commands of the plan must pass; read them first", _commands(order, plan)),
        *_block("Notes", order.notes or ""),
    ]
    if failure is not None:
        lines += _block(f"The last attempt failed at {failure.stage}", failure.headline)
        lines += _block("What to do about it", failure.hint) + _block("What was printed", failure.excerpt)
    return "\n".join(lines).rstrip() + "\n"


def _commands(order: WorkOrder, plan: Plan | None) -> list[str]:
    contract = plan.verify_contract if plan is not None else None
    return [*([contract.command] if contract is not None else []), *order.acceptance_commands]


def _requirements(order: WorkOrder, plan: Plan | None) -> list[str]:
    lines: list[str] = []
    for asked in requirements_of(order, plan.requirements) if plan is not None else ():
        lines += _block(f"{asked.id}: {one_line(asked.text).rstrip('.')}", "\n".join(asked.quotes))
    return lines


def _items(title: str, items: Iterable[str], before: str = "") -> list[str]:
    lines = [f"  {before}{one_line(item)}" for item in items]
    return [f"{title}:", *lines, ""] if lines else []


def _block(title: str, text: str) -> list[str]:
    return [f"{title}:", indent(visible(text).rstrip(), "  "), ""] if text.strip() else []
