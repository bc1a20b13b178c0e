"""Makes the output of a command fit for a prompt: short, and the same on every machine and in every run.

A failure brief must not hold a fact of the machine or the moment, or the same failure would give another
prompt and the ledger would not know it. The raw output stays in the artifacts.
"""

import re
from collections.abc import Mapping
from typing import Final

from factory.contract.limits import EXCERPT_CHARS

_ANSI: Final = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_RULES: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"\b0x[0-9a-fA-F]{6,16}\b"), "0x<address>"),
    (re.compile(r"\bpytest-of-[^/\s]+/pytest-\d+"), "pytest"),
    (
        re.compile(r"(?<![\w.])\d+(?:\.\d+)?\s?(?:ms|µs|us|ns|s|secs?|seconds?)\b(?:\s\(\d+:\d\d:\d\d\))?"),
        "<time>",
    ),
    (re.compile(r"\b(pid|PID)([ =:]+)\d+"), r"\1\2<pid>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"), "<date>"),
    (re.compile(r"/tmp/[\w.-]*(?:tmp|pytest)[\w./-]*"), "<tmp>"),  # noqa: S108
    # Code that is not the product's: its lines differ between versions of Python and of the libraries.
    (re.compile(r"(<python>[^\s\"']*)/python3\.\d+/"), r"\1/python3/"),
    (re.compile(r"(File \"<python>[^\"]*\", line )\d+"), r"\1<line>"),
    (re.compile(r"(<python>[^\s:\"']*\.py:)\d+"), r"\1<line>"),
    # Where the marks stand under a traceback's line differs between versions of Python.
    (re.compile(r"^[ \t]*[~^]+[ \t]*\n", re.MULTILINE), ""),
    # pytest's header names the platform and every version.
    (re.compile(r"^(?:platform \S+ -- Python .*|plugins: .*|cachedir: .*)\n", re.MULTILINE), ""),
)


def canonical_output(output: bytes, places: Mapping[str, str]) -> str:
    """What a command printed, without facts of the machine or the moment.

    Args:
        output: the raw bytes.
        places: directories of this machine and the names that stand for them, such as the checkout's path
            and `.`; longer paths are replaced first.

    Returns:
        Text without control characters, escape sequences, absolute places, durations, addresses,
        process ids, dates or temporary names.
    """
    text = _ANSI.sub("", output.decode("utf-8", "replace")).replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    for place in sorted(places, key=lambda path: (-len(path), path)):
        name = places[place]
        if name == ".":
            text = text.replace(place + "/", "")
        text = text.replace(place, name)
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.strip("\n")


def excerpt(text: str, limit: int = EXCERPT_CHARS) -> str:
    """The first and the last parts of `text`, cut at line ends, in at most `limit` characters.

    The end gets the larger share, because it holds the error.
    """
    if len(text) <= limit:
        return text
    mark = "\n[... {} characters left out ...]\n"
    room = limit - len(mark.format(len(text)))
    head = text[: room // 4]
    tail = text[-(room - len(head)) :]
    head = head[: head.rfind("\n")] if "\n" in head else head
    tail = tail[tail.find("\n") + 1 :] if "\n" in tail[:-1] else tail
    return head + mark.format(len(text) - len(head) - len(tail)) + tail
