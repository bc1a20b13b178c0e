"""The line of what a command printed that tells most of why it failed, for a person who reads a log. Pure.

What a model is told of a failure is in `brief`.
"""

import re
from collections.abc import Sequence
from typing import Final

from factory.system.terminal.console import visible

_MOST_CHARS: Final = 120

_EVIDENCE: Final = re.compile(r"E\s+(?P<said>\w.*)")
"""What pytest found; a line that goes on with a difference begins with a sign."""
_EXCEPTION: Final = re.compile(r"(?:\W*Sorry: )?(?P<said>(?:\w+\.)*\w*(?:Error|Exception)\b(?=$|[:\s]).*)")
_ERROR: Final = re.compile(
    r"(?P<said>(?:[^\s:]+:(?:\d+:)* )?(?:fatal )?error(?: \w+|\[\w+\])?: .*)", re.IGNORECASE
)


def telling_line(excerpt: str) -> str:
    """The line, on one line, shortened and harmless; empty if nothing was printed.

    Of what pytest found the first, which the others only explain; of exceptions the last, which ended the
    program; of a compiler's errors the first, from which others follow; else the last line.

    Args:
        excerpt: what the command printed, or a part of it.
    """
    lines = [line.strip() for line in excerpt.splitlines() if line.strip()]
    told = _those(_EVIDENCE, lines)[:1] or _those(_EXCEPTION, lines)[-1:] or _those(_ERROR, lines)[:1]
    # A line may be as long as the excerpt, and each hidden character becomes several.
    line = " ".join(visible((told or lines[-1:] or [""])[0][: _MOST_CHARS + 1]).split())
    return line if len(line) <= _MOST_CHARS else line[:_MOST_CHARS] + "…"


def with_telling_line(message: str, excerpt: str) -> str:
    """A failure's message with that line behind it, unless it says the same already."""
    line = telling_line(excerpt)
    return f"{message}: {line}" if line and line not in message else message


def _those(pattern: re.Pattern[str], lines: Sequence[str]) -> list[str]:
    """What the lines say that are of this kind."""
    return [match["said"] for match in map(pattern.fullmatch, lines) if match is not None]
