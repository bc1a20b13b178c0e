"""What a headless agent reports when it ends: its last words, tokens, price, whether it failed. Pure.

Understood are the JSON results that well-known agents print: one object on the last line, or on several lines
at the end, with `usage` and `total_cost_usd`; a line of JSON for each event, the last with `usage`; and
`stats` by model. What is not there is not known.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from factory.llm.port import Usage

_LAST_WORDS: Final = 1_000
_LOOKED_AT: Final = 1_000_000
_MOST_TOKENS: Final = 10**12
_MOST_USD: Final = 10**6


@dataclass(frozen=True)
class Report:
    """What an agent reports.

    Attributes:
        words: its last words; empty if there are none.
        usage: its tokens and its price; None if it says nothing of tokens.
        failed: whether it says that it failed.
    """

    words: str
    usage: Usage | None
    failed: bool


def read_report(printed: str) -> Report:
    """What the standard output of an agent says."""
    results = list(_results(printed[-_LOOKED_AT:]))
    words = next((text for result in results if (text := _words(result))), "")
    usage = next((usage for result in results if (usage := _usage(result)) is not None), None)
    failed = bool(results) and results[0].get("is_error") is True
    return Report((words or printed.strip()[-_LAST_WORDS:]).strip(), usage, failed)


def _results(printed: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that end the output, the last one first."""
    whole = _object(printed)
    if whole is not None:
        yield whole
        return
    lines = printed.rstrip().splitlines()
    read = 0
    for line in reversed(lines):
        value = _object(line)
        if value is None:
            break
        read += 1
        yield value
    if not read and lines and lines[-1].strip() == "}":
        start = next((at for at in range(len(lines) - 1, -1, -1) if lines[at].rstrip() == "{"), None)
        value = None if start is None else _object("\n".join(lines[start:]))
        if value is not None:
            yield value


def _object(text: str) -> dict[str, Any] | None:
    if not text.strip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _words(result: dict[str, Any]) -> str:
    item = result.get("item")
    texts = (
        result.get("result"),
        result.get("response"),
        item.get("text") if isinstance(item, dict) else None,
    )
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def _usage(result: dict[str, Any]) -> Usage | None:
    usage, stats = result.get("usage"), result.get("stats")
    cost = _cost(result.get("total_cost_usd"))
    if isinstance(usage, dict) and ("input_tokens" in usage or "output_tokens" in usage):
        # One kind of agent tells cached tokens beside the others, the other kind within them.
        beside = _count(usage, "cache_read_input_tokens"), _count(usage, "cache_creation_input_tokens")
        return Usage(
            input_tokens=_count(usage, "input_tokens") + sum(beside),
            cached_tokens=beside[0] + _count(usage, "cached_input_tokens"),
            output_tokens=_count(usage, "output_tokens"),
            cost_usd=cost,
        )
    models = stats.get("models") if isinstance(stats, dict) else None
    if isinstance(models, dict) and models:
        tokens = [part["tokens"] for part in models.values() if isinstance(part, dict) and "tokens" in part]
        counted = [part for part in tokens if isinstance(part, dict)]
        return Usage(
            input_tokens=sum(_count(part, "prompt") + _count(part, "tool") for part in counted),
            cached_tokens=sum(_count(part, "cached") for part in counted),
            output_tokens=sum(_count(part, "candidates") + _count(part, "thoughts") for part in counted),
            reasoning_tokens=sum(_count(part, "thoughts") for part in counted),
            cost_usd=cost,
        )
    return None


def _count(usage: dict[str, Any], name: str) -> int:
    value = usage.get(name)
    # bool is an int; what is beyond all reason is no count.
    return value if type(value) is int and 0 <= value < _MOST_TOKENS else 0


def _cost(value: object) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return round(float(value), 6) if known and 0 <= value < _MOST_USD else None  # type: ignore[operator,arg-type]
