"""Makes the output of a command fit for a prompt: short, and the same on every machine and in every run.

A failure brief must not hold a fact of the machine or the moment, or the same failure would give another
prompt and the ledger would not know it. What a product computed stays as it is, durations and dates
included, because that is what the model must see; only where tools are known to print the moment is it
replaced. The raw output stays in the artifacts.
"""

import re
from collections.abc import Mapping
from typing import Final

from factory.attempt.pytest_output import without_context, without_libraries
from factory.contract.limits import EXCERPT_CHARS

_ANSI: Final = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNIT: Final = r"(?:ns|us|µs|ms|s|sec|secs|seconds)\b"
_RULES: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    # The standard library and installed packages, wherever they are.
    (
        re.compile(r"(?<![\w/.~-])(?:<venv>)?(?:/[^\s\"'<>:/]+)*/lib(?:64)?/(?:python3|pypy3)(?:\.\d+)?t?/"),
        "<python>/",
    ),
    (re.compile(r"<python>/(?:site|dist)-packages/"), "<python>/"),
    (re.compile(r"(?<![\w/.~-])(?:<venv>)?(?:/[^\s\"'<>:/]+)*/bin/(python|pypy)[\d.]*t?(?![\w./-])"), r"\1"),
    (re.compile(r"(<python>/[^\s\"':]*\.py\"?(?:, line |:))\d+"), r"\1<line>"),
    (re.compile(r"\bat 0x[0-9a-fA-F]+"), "at 0x<address>"),
    (re.compile(r"^((?:Current t|T)hread )0x[0-9a-fA-F]+", re.MULTILINE), r"\g<1>0x<address>"),
    (re.compile(r"\b((?:started|stopped|initial)(?: daemon)?) \d{6,}"), r"\1 <thread>"),
    (re.compile(r"\b(pid|PID)([ =:]+)\d+"), r"\1\2<pid>"),
    (re.compile(r"(?<=\()\d+(?=\) (?:[\w-]+ )*(?:fork|multi-threaded)|, <pid>)"), "<pid>"),
    # Ports that the system chose.
    (re.compile(r"\b(127\.0\.0\.1|localhost)(:|', )[1-9]\d{4}\b"), r"\1\2<port>"),
    (re.compile(r"\bpytest-of-[^/\s]+/pytest-\d+"), "pytest"),
    (re.compile(r"(?<![\w/.~-])/(?:var/)?tmp/(?:tmp|pytest|workorder)[\w.-]*"), "<tmp>"),
    (re.compile(r"(<tmp>/)tmp[a-z0-9_]{8}(?![\w])"), r"\1<name>"),
)
# A long value is cut in its middle, at a place that depends on the lengths of paths in it.
_CUT_PATH: Final = re.compile(r"(?<![\w./<>-])(?=[\w./<>-]*(?:/|<tmp>))[\w./<>-]*\.\.\.[\w./<>-]*")
# Where tools print how long something took or when it happened. Not in pytest's lines of evidence.
_MOMENTS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(rf"\b(in|after|took|elapsed|duration)([ =:]+)\d+\.\d+ ?{_UNIT}"), r"\1\2<time>"),
    (re.compile(r"(<time>) \(\d+:\d\d:\d\d\)"), r"\1"),
    (re.compile(r"^\d+\.\d+s (?=(?:call|setup|teardown) )"), "<time> "),
    (re.compile(r"^(real|user|sys)(\s+)\d+m\d+[.,]\d+s$"), r"\1\2<time>"),
    (
        re.compile(r"^(\W{0,2})\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"),
        r"\1<date>",
    ),
    (re.compile(r"\[\d\d/[A-Z][a-z]{2}/\d{4}[ :]\d\d:\d\d:\d\d(?: [+-]\d{4})?\]"), "[<date>]"),
)
_EVIDENCE: Final = re.compile(r"[E>] ")


def canonical_output(output: bytes, places: Mapping[str, str]) -> str:
    """What a command printed, without facts of the machine or the moment.

    Args:
        output: the raw bytes.
        places: directories of this machine and the names that stand for them, such as the checkout's path
            and `.`; longer paths are replaced first.

    Returns:
        Text without control characters, escape sequences, absolute places, addresses, process ids,
        temporary names, the tools' own durations and dates, and frames of libraries in tracebacks.
    """
    text = _ANSI.sub("", output.decode("utf-8", "replace")).replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    for place in sorted(places, key=lambda path: (-len(path), path)):
        name = places[place]
        if name == ".":
            text = text.replace(place + "/", "")
        text = re.sub(re.escape(place) + r"(?![\w-])", name, text)
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    text = _CUT_PATH.sub("...", text)
    text = "\n".join(_without_moments(line) for line in text.split("\n"))
    return without_libraries(text).strip("\n")


def excerpt(text: str, limit: int = EXCERPT_CHARS) -> str:
    """The first and the last parts of `text`, cut at line ends, in at most `limit` characters.

    The end gets the larger share, because it holds the error. Of a report by pytest that is too long, the
    source around the evidence goes first.
    """
    if len(text) > limit:
        text = without_context(text)
    if len(text) <= limit:
        return text
    mark = "\n[... {} characters left out ...]\n"
    room = limit - len(mark.format(len(text)))
    head = text[: room // 4]
    tail = text[-(room - len(head)) :]
    head = head[: head.rfind("\n")] if "\n" in head else head
    tail = tail[tail.find("\n") + 1 :] if "\n" in tail[:-1] else tail
    return head + mark.format(len(text) - len(head) - len(tail)) + tail


def _without_moments(line: str) -> str:
    if _EVIDENCE.match(line):
        return line
    for pattern, replacement in _MOMENTS:
        line = pattern.sub(replacement, line)
    return line
