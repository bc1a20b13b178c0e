"""The report in Markdown, for a pull request: the outcome, what failed, the work orders."""

from collections.abc import Iterator
from typing import Final

from factory.attempt.failure import Failure
from factory.report.page.story import Order, Story
from factory.system.terminal.console import visible
from factory.system.terminal.markdown import posted, posted_paragraph

_COMMIT: Final = 12
_SIGNS: Final = {"good": "✅", "bad": "❌", "going": "⏳"}


def write_markdown(story: Story) -> str:
    """The text, with a line break at its end."""
    return "\n".join(_lines(story)) + "\n"


def _lines(story: Story) -> Iterator[str]:
    yield f"## {_SIGNS[story.tone]} {posted(story.headline)}\n"
    if story.hint:
        yield f"{posted_paragraph(story.hint)}\n"
    for order in story.failed:
        assert order.failure is not None
        yield from _failed(order, order.failure)
    yield "| work order | | commit | acceptance | used |"
    yield "|---|---|---|---|---|"
    for order in story.orders:
        commit = f"`{order.commit[:_COMMIT]}`" if order.commit else posted(order.state)
        cells = (f"{order.id} {posted(order.title)}", "✅" if order.is_done else "", commit)
        yield f"| {' | '.join((*cells, _proof(order), posted(order.used)))} |"
    yield ""
    yield from (f"{posted(name)}: {posted(value)}  " for name, value in story.facts.items())
    if story.workers:
        yield f"workers: {posted(story.workers)}  "


def _failed(order: Order, failure: Failure) -> Iterator[str]:
    yield f"### {order.id} {posted(order.title)}\n"
    yield f"failed at {failure.stage} ({failure.failure_class}): {posted(failure.headline)}\n"
    if failure.excerpt:
        shown = visible(failure.excerpt)
        fence = "`" * 3
        while fence in shown:
            fence += "`"
        yield f"{fence}text\n{shown}\n{fence}\n"
    if failure.hint:
        yield f"{posted_paragraph(failure.hint)}\n"


def _proof(order: Order) -> str:
    """What acceptance noticed of the changes that were tried, in the attempt that landed."""
    proofs = [attempt.proof for run in order.runs for attempt in run.attempts if attempt.proof is not None]
    scores = proofs[-1].scores if proofs and order.is_done else None
    if scores is None or not scores.tried:
        return ""
    doubt = " (weak)" if scores.weakness else " (not proven)" if scores.silence else ""
    return f"notices {scores.acceptance} of {scores.tried} changes{doubt}"
