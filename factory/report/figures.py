"""Numbers and texts as a person reads them in a line: durations, tokens, dollars. Pure."""

from datetime import datetime

from factory.builds.state.attempts import Spending
from factory.builds.state.model import ModelShare
from factory.llm.spending.budget import Limits
from factory.system.terminal.console import duration, visible


def elapsed(since: str, now: str) -> str:
    """The time between two instants as ISO 8601; empty if one of them is none."""
    try:
        return duration((datetime.fromisoformat(now) - datetime.fromisoformat(since)).total_seconds())
    except (ValueError, TypeError):
        return ""


def tokens(spending: Spending) -> str:
    """Input and output together, such as `12,345`; empty if there are none."""
    used = spending.input_tokens + spending.output_tokens
    return f"{used:,}" if used else ""


def dollars(spending: Spending) -> str:
    """What it cost, such as `$0.0123`; empty if no price is known."""
    return "" if spending.cost_usd is None else f"${spending.cost_usd:.4f}"


def spent(spending: Spending) -> str:
    """A phrase such as `1,200 tokens in (800 cached), 300 out, $0.0123`."""
    cost = dollars(spending)
    cached = f" ({spending.cached_tokens:,} cached)" if spending.cached_tokens else ""
    used = f"{spending.input_tokens:,} tokens in{cached}, {spending.output_tokens:,} out"
    return f"{used}, {cost}" if cost else used


def share_of(share: ModelShare) -> str:
    """What one of several models did, such as `3 landed, 1 attempt failed, …; wasted …`."""
    failed = f"{share.failed} attempt{'s' if share.failed != 1 else ''} failed"
    wasted = f"; wasted {spent(share.wasted)}" if share.wasted != Spending() else ""
    return f"{share.landed} landed, {failed}, {spent(share.spent)}{wasted}"


def used(spending: Spending, limits: Limits, unpriced: int = 0) -> str:
    """Tokens and dollars, of as many as there may be: `12,345 of 200,000 tokens  $0.0123 of $5`.

    Args:
        spending: what was used.
        limits: what may be.
        unpriced: how many answers have no known price.
    """
    count = spending.input_tokens + spending.output_tokens
    parts = [f"{count:,} tokens" if count else ""]
    if limits.tokens is not None:
        parts = [f"{count:,} of {limits.tokens:,} tokens"]
    cost = dollars(spending)
    if limits.usd is not None:
        cost = f"{cost or '$0'} of ${limits.usd}"
    if cost and unpriced:
        cost += f", {unpriced} answer{'s' if unpriced != 1 else ''} without a known price"
    return "  ".join(part for part in (*parts, cost) if part)


def in_one_line(text: str) -> str:
    """`text` on one line, with nothing in it that could act on a terminal."""
    return " ".join(visible(text).split())


def output_lines(text: str, indent: str) -> list[str]:
    """What a command printed or a model said, each line behind a bar.

    So none is taken for one of ours, nor for a command by a CI system that obeys lines of its log (`::…::`).
    """
    return [f"{indent}| {line}".rstrip() for line in text.splitlines()]
