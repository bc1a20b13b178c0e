"""`factory build --dry-run`: how far a build would come, told to a person. Pure."""

from collections.abc import Iterator
from typing import Final

from factory.builds.rehearsal import Ready, Rehearsed
from factory.builds.state.model import Ended
from factory.llm.port import Usage
from factory.report.figures import in_one_line, output_lines
from factory.system.terminal.console import visible

_WIDTH: Final = 100


def render_rehearsal(rehearsed: Rehearsed, most_attempts: int, most_output_tokens: int) -> str:
    """The text.

    Args:
        rehearsed: what the dry run has shown.
        most_attempts: how many answers a work order may have.
        most_output_tokens: the longest answer.
    """
    return "\n".join(_lines(rehearsed, most_attempts, most_output_tokens))


def _lines(rehearsed: Rehearsed, attempts: int, longest: int) -> Iterator[str]:
    if rehearsed.ended is not None:
        yield from _stopped(rehearsed.ended)
    for name in rehearsed.landed:
        yield f"{name}: has landed"
    for name in rehearsed.left_out:
        yield f"{name}: is left out, on purpose"
    for name in rehearsed.alone:
        yield f"{name}: lands without a model, and passes its gates"
    for ready in rehearsed.ready:
        yield from _ready(ready)
    if rehearsed.ended is not None:
        return
    if rehearsed.waiting:
        yield f"waiting for others: {', '.join(rehearsed.waiting)}"
    left = len(rehearsed.ready) + len(rehearsed.waiting)
    if not left:
        yield "nothing is left to be asked"
        return
    yield f"nothing was asked, and nothing has landed; {left} work orders need a model"
    yield from _price(rehearsed, left * attempts, longest)
    if rehearsed.unasked is not None:
        yield "but a build would be refused as things are, before anything is begun:"
        yield from _stopped(rehearsed.unasked)


def _stopped(ended: Ended) -> Iterator[str]:
    """Why a build would not come so far that a model is asked, or not for all that is ready."""
    yield visible(ended.message)
    if ended.failure is not None:
        yield from output_lines(ended.failure.excerpt, "  ")
    if ended.hint:
        yield f"  hint: {in_one_line(ended.hint)}"


def _ready(ready: Ready) -> Iterator[str]:
    order = ready.order
    red = sum(probed.colour == "red" for probed in ready.probed)
    said = f"{red} of {len(ready.probed)} commands fail now, as they should" if ready.probed else "not probed"
    yield f"{order.id}: ready; {said}; a prompt of at most {ready.prompt_tokens:,} tokens"
    for probed in ready.probed:
        if probed.weak:
            yield f"  passes already, and proves nothing: {in_one_line(probed.command)}"
        elif probed.colour == "exempt":
            yield f"  may pass already: {in_one_line(probed.command)[:_WIDTH]}"


def _price(rehearsed: Rehearsed, answers: int, longest: int) -> Iterator[str]:
    """What is known before anything is asked: the first prompts, and how many answers there may be."""
    first = sum(ready.prompt_tokens for ready in rehearsed.ready)
    least, most = f"{first:,} tokens", f"{answers} answers of at most {longest:,} tokens"
    price = rehearsed.price
    if price is not None:
        least += f", ${price.of(Usage(input_tokens=first, output_tokens=0)):.2f}"
        most += f", ${price.of(Usage(input_tokens=0, output_tokens=answers * longest)):.2f}"
    yield f"the first prompts have at most {least}; at most {most}, and their prompts come on top"
    if price is None:
        yield "no price is known: --price tells it"
