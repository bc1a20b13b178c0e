"""Shortens tracebacks and pytest's reports to what concerns the product. Pure.

Frames of the standard library and of installed packages go: their source differs between versions, and
nobody can change it. What is evidence stays: the failing line, pytest's `E` lines, where it happened, what
was printed. It works on text in which installed code already stands under `<python>/`, and a duration that
a tool printed is `<time>`.
"""

import re
from collections.abc import Sequence
from typing import Final

_SECTION: Final = re.compile(r"={3,} (.+?) ={3,}")
_FAILURE: Final = re.compile(r"_{3,} (.+?) _{3,}")
_CAPTURED: Final = re.compile(r"-{3,} (Captured .+?) -{3,}")
_NEXT_FRAME: Final = re.compile(r"(?:_ ){9,}_? ?")
_PLACE: Final = re.compile(r"(\S+\.\w+|<[^>]+>):(?:\d+|<line>):(?: (.*))?")
_MARKS: Final = re.compile(r"[ \t]+[~^]+[ \t]*")
# Where a long value is cut depends on the lengths of paths in it.
_CUT_VALUE: Final = re.compile(r"(E +\+ +where .*? = (?:CompletedProcess\(|\w+\((?=.*\.\.\.))).*(\).*)")
_COUNTS: Final = re.compile(r"(?:\d+ [a-z]+, )*\d+ [a-z]+ in <time>")
_WARNINGS: Final = re.compile(r", \d+ warnings?(?=, | in <time>)")
_SUMMARY: Final = re.compile(r"((?:FAILED|ERROR) \S.*?) - .*")
_PROGRESS: Final = re.compile(r"[.FEsxX]+ +\[ *\d+%\]")
_DECORATION: Final = re.compile(r"platform \S+ -- Python .*|(?:plugins|cachedir|rootdir): .*|\[gw\d+\] .*")

_LIBRARY_FRAME: Final = re.compile(
    r"""^(?P<margin>(?:E(?=\ ))?[ \t|]*)File\ "<(?:python>/|frozen\ )[^\n]*\n"""
    r"""(?:(?P=margin)[ \t]+[^\n]*\n)*""",
    re.MULTILINE | re.VERBOSE,
)
# Later versions of Python know the source of a string.
_STRING_FRAME: Final = re.compile(
    r"""^((?P<margin>(?:E(?=\ ))?[ \t|]*)File\ "<[^\n]*,\ in\ [^\n]*\n)(?:(?P=margin)[ \t]+[^\n]*\n)*""",
    re.MULTILINE | re.VERBOSE,
)
# Later versions of Python show more lines of a statement, and mark parts of them.
_FRAME: Final = re.compile(
    r"""^((?P<margin>(?:E(?=\ ))?[ \t|]*)File\ "[^\n]*,\ in\ [^\n]*\n(?:(?P=margin)[ \t]+[^\n]*\n)?)"""
    r"""(?:(?P=margin)[ \t]+[^\n]*\n)*""",
    re.MULTILINE | re.VERBOSE,
)
# How deep a recursion gets differs between versions.
_DEPTH: Final = re.compile(
    r"(\[Previous line repeated |Displaying first and last \d+ stack frames out of )\d+(?= more times\]|\.)"
)
_ARGUMENTS: Final = re.compile(r"\w+ = .*")


def without_libraries(text: str) -> str:
    """`text` without frames of libraries, marks under source lines, and pytest's decoration."""
    text = _LIBRARY_FRAME.sub("", text + "\n")
    text = _STRING_FRAME.sub(r"\1", text)
    text = _FRAME.sub(r"\1", text)
    text = _DEPTH.sub(r"\1<many>", text)
    return "\n".join(_report(text.split("\n")))


def without_context(text: str) -> str:
    """A report by pytest without the source that surrounds each failing line; other text as it is."""
    kept: list[str] = []
    section = ""
    for line in text.split("\n"):
        if line.startswith("== ") or (section and line.startswith(("__ ", "-- Captured "))):
            section = line
        if not section.startswith(("== FAILURES", "== ERRORS", "__ ")) or _is_evidence(line):
            kept.append(line)
    return "\n".join(kept)


def _is_evidence(line: str) -> bool:
    return line.startswith(("E ", "> ", "== ", "__ ")) or _PLACE.fullmatch(line) is not None


def _report(lines: Sequence[str]) -> list[str]:
    """A report by pytest, section by section; what stands outside of its sections stays as it is."""
    kept: list[str] = []
    frame: list[str] = []
    section = ""
    for line in lines:
        header = _SECTION.fullmatch(line) or _FAILURE.fullmatch(line) or _CAPTURED.fullmatch(line)
        next_frame = section == "failure" and _NEXT_FRAME.fullmatch(line) is not None
        if header is not None or next_frame:
            kept += _frame(frame)
            frame = []
        if header is not None and (section or line.startswith("=")):
            section = _section(header)
            if section != "warnings":
                kept.append(f"{line[:2]} {_counts(header[1])} {line[:2]}")
        elif section == "failure":
            frame += [] if next_frame else [line]
        elif section == "captured":
            kept.append(line)
        elif _is_kept(line, section):
            kept.append(_SUMMARY.sub(r"\1", _counts(line)) if section else line)
    return kept + _frame(frame)


def _is_kept(line: str, section: str) -> bool:
    if section == "warnings":
        # When pytest is quiet the counts stand alone at the end, whatever section was before.
        return _COUNTS.fullmatch(line) is not None
    return not (_PROGRESS.fullmatch(line) or (section and _DECORATION.fullmatch(line)))


def _section(header: re.Match[str]) -> str:
    if header.re is _FAILURE or header[1] in ("FAILURES", "ERRORS"):
        return "failure"
    if header.re is _CAPTURED:
        return "captured"
    return "warnings" if header[1] == "warnings summary" else "other"


def _counts(text: str) -> str:
    """pytest's counts without those of the warnings, which differ between versions; other text as it is."""
    return _WARNINGS.sub("", text) if _COUNTS.fullmatch(text) else text


def _frame(lines: Sequence[str]) -> list[str]:
    """One frame of a failure; of several in the short form, and of one in a library, what is of interest."""
    last = next((line for line in reversed(lines) if line.strip()), "")
    place = _PLACE.fullmatch(last)
    if place is not None and not (place[2] or "").startswith("in "):
        # The long form, which names its place at the end.
        in_library = place[1].startswith("<")
    else:
        in_library = False
    recursive = any(match[2] == "RecursionError" for line in lines if (match := _PLACE.fullmatch(line)))
    kept: list[str] = []
    for line in _once(lines):
        place = _PLACE.fullmatch(line)
        if place is not None and (place[2] or "").startswith("in "):
            # The short form, which names its place first.
            in_library = place[1].startswith("<")
        too_much = in_library or _MARKS.fullmatch(line) or (recursive and _ARGUMENTS.fullmatch(line))
        if line.startswith("E ") or not too_much:
            kept.append(_CUT_VALUE.sub(r"\1…\2", line))
    return kept


def _once(lines: Sequence[str]) -> list[str]:
    """`lines` without frames that follow their like, as in a recursion: a place and a line of source."""
    kept: list[str] = []
    for line in lines:
        kept.append(line)
        if len(kept) >= 4 and kept[-2:] == kept[-4:-2] and _PLACE.fullmatch(kept[-2]):
            del kept[-2:]
    return kept
