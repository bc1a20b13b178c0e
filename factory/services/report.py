"""Reads what the program around a command reports. Pure; what services have printed is hostile."""

import re
from dataclasses import dataclass, field
from typing import Final

_LINE: Final = re.compile(
    r"starting (?P<starting>[a-z][a-z0-9-]*)"
    r"|log (?P<log>[a-z][a-z0-9-]*) (?P<printed>(?:[0-9a-f]{2})*)"
    r"|tail (?P<tail>[a-z][a-z0-9-]*) (?P<total>\d+) (?P<last>(?:[0-9a-f]{2})*)"
    r"|unready (?P<unready>[a-z][a-z0-9-]*) (?P<why>(?:[0-9a-f]{2})*)"
    r"|died (?P<died>[a-z][a-z0-9-]*) (?P<how>(?:[0-9a-f]{2})*)"
    r"|ready (?P<ready>\d+)|error (?P<error>\d+)|end (?P<end>-?\d+)"
)


@dataclass
class Log:
    """What a service printed: its beginning, and of a long one the end.

    Attributes:
        head: the beginning.
        tail: the end, where not all of it is in the beginning.
        total: how many bytes it printed.
    """

    head: bytes = b""
    tail: bytes = b""
    total: int = 0

    @property
    def text(self) -> bytes:
        """Both, with a mark between them where something was left out."""
        left_out = self.total - len(self.head) - len(self.tail)
        mark = b"\n[... %d bytes left out ...]\n" % left_out if left_out > 0 else b""
        return self.head + mark + self.tail


@dataclass
class AroundReport:
    """What was reported.

    Attributes:
        starting: the service that was started last; empty if none was.
        ready_milliseconds: how long it took until all were ready; None if they did not get ready.
        unready: the service that did not get ready, and why; empty if none is to blame.
        error: the error number for which the command can't be executed.
        died: for each service that ended before the command did, how.
        end: how the command ended: its exit code, or below 0 the signal; None if nobody said so.
        logs: what each service printed.
    """

    starting: str = ""
    ready_milliseconds: int | None = None
    unready: tuple[str, str] = ("", "")
    error: int | None = None
    died: dict[str, str] = field(default_factory=dict)
    end: int | None = None
    logs: dict[str, Log] = field(default_factory=dict)


def parse_around(received: bytes, word: bytes) -> AroundReport:
    """What the program reported; what is not its own, or was cut off, is nothing.

    Args:
        received: all that arrived.
        word: what only that program was told.
    """
    report = AroundReport()
    # What follows the last line's end was cut off.
    first, *lines = received.split(b"\n")[:-1] or [b""]
    if first != word:
        return report
    for line in lines:
        match = _LINE.fullmatch(line.decode("ascii", "replace"))
        if match is not None:
            _take(report, match)
    return report


def _take(report: AroundReport, line: re.Match[str]) -> None:
    if line["starting"] is not None:
        report.starting = line["starting"]
    elif line["log"] is not None:
        log = report.logs.setdefault(line["log"], Log())
        log.head += bytes.fromhex(line["printed"])
        log.total = len(log.head)
    elif line["tail"] is not None:
        log = report.logs.setdefault(line["tail"], Log())
        log.tail, log.total = bytes.fromhex(line["last"]), int(line["total"])
    elif line["unready"] is not None:
        report.unready = (line["unready"], _text(line["why"]))
    elif line["died"] is not None:
        report.died[line["died"]] = _text(line["how"])
    elif line["ready"] is not None:
        report.ready_milliseconds = int(line["ready"])
    elif line["error"] is not None:
        report.error = int(line["error"])
    elif line["end"] is not None:
        report.end = int(line["end"])


def _text(digits: str) -> str:
    return bytes.fromhex(digits).decode("utf-8", "replace")
