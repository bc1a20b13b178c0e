"""What stands on a terminal while a plan is asked for: the attempt, what came, what was found. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from factory.llm.port import Usage, total
from factory.llm.spending.budget import Limits
from factory.llm.spending.prices import Price
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.plans.diagnostics.render import summary
from factory.system.terminal.console import duration, one_line

_CHARS_A_TOKEN: Final = 4
"""Of prose and code, roughly; what an answer used is known when it has ended."""

_PLACES: Final = 8
"""How many places of a finding are named."""


@dataclass(frozen=True)
class Asking:
    """Where a compile stands.

    Attributes:
        model: who is asked, with the adapter's name.
        max_attempts: how many answers are checked at most.
        began: when it began; this and all times in seconds of one clock.
        limits: what may be spent.
        price: what an answer costs; None if that is not known.
        held: what the ledger held before.
        attempt: which attempt it is.
        asked: since when the model is asked; None if it is not.
        heard: how many characters of its answer have come.
        new: what answers used that were not stored before.
        stored: what those used that were.
        judged: the last attempt that was checked, and what was found; None before one was.
        is_json: whether that answer could be read at all.
    """

    model: str
    max_attempts: int
    began: float
    limits: Limits = field(default_factory=Limits)
    price: Price | None = None
    held: Usage = field(default_factory=lambda: Usage(input_tokens=0, output_tokens=0))
    attempt: int = 0
    asked: float | None = None
    heard: int = 0
    new: tuple[Usage, ...] = ()
    stored: tuple[Usage, ...] = ()
    judged: tuple[int, tuple[Diagnostic, ...]] | None = None
    is_json: bool = True


def render_asking(asking: Asking, now: float, lines: int) -> list[str]:
    """The lines, each harmless; at most so many as there may be, the last one is the total.

    Args:
        asking: where it stands.
        now: the time.
        lines: how many there may be.
    """
    room = max(0, lines - 2)
    found = list(_found(asking))
    if len(found) > room:
        found = [*found[: max(0, room - 1)], f"  and {len(found) - room + 1} lines more"][:room]
    shown = [*found, _attempt(asking, now), _total(asking, now)]
    return shown[-max(1, lines) :]


def _attempt(asking: Asking, now: float) -> str:
    if asking.attempt == 0:
        return "preparing"
    which = f"attempt {asking.attempt} of {asking.max_attempts}"
    if asking.asked is None:
        return f"{which}  checking the answer"
    parts = [which, f"asking {one_line(asking.model)}", duration(now - asking.asked)]
    if asking.heard:
        parts.append(f"about {asking.heard // _CHARS_A_TOKEN:,} tokens have come")
    return "  ".join(parts)


def _found(asking: Asking) -> Iterator[str]:
    """What was found in the last answer, by codes, errors first, and where they stand."""
    if asking.judged is None:
        return
    attempt, diagnostics = asking.judged
    if not asking.is_json:
        yield f"attempt {attempt}: the answer is not JSON"
        return
    yield f"attempt {attempt}: {summary(diagnostics)}"
    by_code: dict[str, list[Diagnostic]] = {}
    for diagnostic in sorted(diagnostics, key=lambda one: (one.severity is not Severity.ERROR, one.code)):
        by_code.setdefault(diagnostic.code, []).append(diagnostic)
    for code, findings in by_code.items():
        times = f" x{len(findings)}" if len(findings) > 1 else ""
        yield f"  {code}{times} {findings[0].name}: {_places(findings)}"


def _places(findings: Sequence[Diagnostic]) -> str:
    """The work orders, or the places in the document where no work order is meant."""
    places = list(
        dict.fromkeys(one_line(found.order) or found.where or "the whole plan" for found in findings)
    )
    more = f" and {len(places) - _PLACES} more" if len(places) > _PLACES else ""
    return ", ".join(places[:_PLACES]) + more


def _total(asking: Asking, now: float) -> str:
    limits = asking.limits
    is_limited = limits.tokens is not None or limits.usd is not None
    # All that the ledger holds counts for a limit.
    counted = (asking.held, *asking.new) if is_limited else (*asking.stored, *asking.new)
    used = total(counted)
    tokens = used.input_tokens + used.output_tokens
    parts = [f"{duration(now - asking.began)} in all"]
    if limits.tokens is not None:
        parts.append(f"{tokens:,} of {limits.tokens:,} tokens")
    elif tokens:
        parts.append(f"{tokens:,} tokens")
    if asking.price is not None and (tokens or limits.usd is not None):
        limit = f" of ${limits.usd}" if limits.usd is not None else ""
        parts.append(f"${asking.price.of(used):.4f}{limit}")
    return "  ".join(parts)
