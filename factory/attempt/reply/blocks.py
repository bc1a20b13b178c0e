"""Reads files out of fenced blocks, each with its path, which is how models give them by default. Pure.

The result is what a JSON answer would have been, so that everything after it is the same. A file may hold
fences itself: those that begin with a word, such as the name of a language, open something that is closed
again within the file.
"""

import re
from collections.abc import Mapping
from typing import Final

from factory.contract.canonical import EMPTY_SHA256
from factory.contract.strict_json import JsonValue

_FENCE: Final = re.compile(r"^ {0,3}(?P<ticks>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*?)[ \t\r]*$")
_THOUGHTS: Final = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_DECORATION: Final = "#*`_:>- \t"
_LABEL: Final = re.compile(r"(?:file ?name|file|path)[*`_]*:[*`_]*\s+", re.IGNORECASE)
_COMMENT: Final = re.compile(r"\s*(?:#|//|--|;|%|/\*|<!--)(?P<text>.*?)(?:\*/|-->)?\s*")
_LINE: Final = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?[*`_]{0,3}(?P<what>KEEP|REMARK)S?[*`_]{0,3}:[*`_]{0,3}(?P<text>.*)"
)
"""A line between the blocks that says which file stays as it was proposed, or tells people something."""

_OWN_FENCES: Final = (".adoc", ".markdown", ".md", ".mdx", ".rst")
"""The ends of names of files that often hold fences themselves."""

_MOST_STRAYS: Final = 8
"""How many fences that open nothing are passed over."""

_SEARCH: Final = re.compile(
    r"^<{5,9} ?SEARCH[ \t]*\n(?P<old>.*?)^={5,9}[ \t]*\n(?P<new>.*?)^>{5,9} ?REPLACE[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_SUMMARY_CHARS: Final = 4_000


class BadBlocks(Exception):
    """A reply out of which no files can be read.

    Args:
        message: what is wrong with it.
        hint: what to do instead.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def read_blocks(reply: str, known: Mapping[str, str]) -> JsonValue:
    """The document that a JSON answer would have held.

    Args:
        reply: what the model said.
        known: the files of the work order that may be written or were shown, with the hash of each as it was
            shown.

    Raises:
        BadBlocks: a block is not closed, or may be closed too early; no block has a path and nothing is kept;
            or one edits without saying what.
    """
    lines = _THOUGHTS.sub("", reply, count=1).replace("\r\n", "\n").split("\n")
    prose: list[str] = []
    writes: list[JsonValue] = []
    number = strays = 0
    doubtful, ticks = "", ""
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        number += 1
        if fence is None:
            prose.append(lines[number - 1])
            continue
        end = _end(lines, number, fence["ticks"], known)
        path = _path(fence["info"], prose, lines[number:end][:1], known)
        if doubtful and path is None and not fence["info"] and fence["ticks"].startswith(ticks):
            raise BadBlocks(
                f"it can't be told where the block of {doubtful} ends",
                "open and close the block of a file that has lines of backticks with more backticks than any"
                " of them",
            )
        if (
            path is None
            and strays < _MOST_STRAYS
            and _is_stray(lines[number:end], end, fence["ticks"], known)
        ):
            strays += 1
            prose.append(lines[number - 1])
            continue
        if end is None:
            raise BadBlocks(
                f"the block of {path or 'an example'} is not closed",
                "close each block with a line of as many backticks as it was opened with",
            )
        if path is not None:
            writes.append(_write(path, "".join(f"{line}\n" for line in lines[number:end]), known))
            doubtful = path if path.lower().endswith(_OWN_FENCES) else ""
            ticks = fence["ticks"]
        number = end + 1
    return _document(prose, writes)


def _document(prose: list[str], writes: list[JsonValue]) -> JsonValue:
    """The document of some files and of what is said between them."""
    said = [(line, _LINE.fullmatch(line)) for line in prose]
    keep: list[JsonValue] = [*_said(said, "KEEP")]
    if not writes and not keep:
        raise BadBlocks(
            "the answer holds no block with a path",
            "give each file as a fenced block that begins with its path",
        )
    rest = "\n".join(line for line, told in said if told is None)
    return {
        "summary": rest.strip()[:_SUMMARY_CHARS] or "(nothing was said of it)",
        "writes": writes,
        "keep": keep,
        "remarks": [*_said(said, "REMARK")],
    }


def _said(lines: list[tuple[str, re.Match[str] | None]], what: str) -> list[str]:
    """What the lines of one kind say; a path may stand in backticks."""
    texts = (told["text"].strip() for _, told in lines if told is not None and told["what"] == what)
    return [text.strip("`") if what == "KEEP" else text for text in texts if text.strip("` ")]


def _end(lines: list[str], start: int, ticks: str, known: Mapping[str, str]) -> int | None:
    """The line that closes a block: a fence of the same kind, at least as long, with nothing after it.

    What a fence with a word opens within it is closed first, unless that leaves the block without an end
    before the next file's.
    """
    first: int | None = None
    within = 0
    for number in range(start, len(lines)):
        fence = _FENCE.match(lines[number])
        if fence is None or not fence["ticks"].startswith(ticks):
            continue
        if not fence["info"]:
            first = number if first is None else first
            if not within:
                return number
            within -= 1
        elif _names_a_file(fence, known):
            return first
        else:
            within += 1
    return first


def _is_stray(lines: list[str], end: int | None, ticks: str, known: Mapping[str, str]) -> bool:
    """Whether a fence without a path opens nothing: it is never closed, or a file's block begins before.

    What stands within a longer fence, or one of another kind, belongs to its example.
    """
    if end is None:
        return True
    inner = (_FENCE.match(line) for line in lines)
    return any(
        fence["ticks"].startswith(ticks) and _names_a_file(fence, known)
        for fence in inner
        if fence is not None
    )


def _names_a_file(fence: re.Match[str], known: Mapping[str, str]) -> bool:
    return any(word in known for word in fence["info"].split()[-1:])


def _path(info: str, prose: list[str], begins: list[str], known: Mapping[str, str]) -> str | None:
    """The path of a block; None of an example.

    It is the last word after the fence, the line before it, or a comment in the first line of the block.
    """
    words = info.split()
    if words and (words[-1] in known or len(words) > 1 or "/" in words[-1] or "." in words[-1]):
        return words[-1].removeprefix("path=").strip("\"'")
    before = next((line for line in reversed(prose) if line.strip()), "")
    comments = (_COMMENT.fullmatch(line) for line in begins)
    for text in (before, *(comment["text"] for comment in comments if comment)):
        named = _LABEL.sub("", text.strip(_DECORATION), count=1).strip(_DECORATION)
        if named in known:
            return named
    return None


def _write(path: str, content: str, known: Mapping[str, str]) -> JsonValue:
    base = known.get(path, EMPTY_SHA256)
    edits: list[JsonValue] = [
        {"old": _passage(edit["old"]), "new": _passage(edit["new"])} for edit in _SEARCH.finditer(content)
    ]
    if not edits:
        return {"path": path, "base_sha256": base, "content": content, "edits": None}
    if any(not edit["old"] for edit in edits if isinstance(edit, dict)):
        raise BadBlocks(
            f"an edit of {path} searches for nothing",
            "search for whole lines of the file, or give the file whole",
        )
    if _SEARCH.sub("", content).strip():
        raise BadBlocks(
            f"the block of {path} holds edits and other text", "give a file whole, or nothing but edits of it"
        )
    return {"path": path, "base_sha256": base, "content": None, "edits": edits}


def _passage(text: str) -> str:
    """A passage without its last line break, which the markers need and the file may not have."""
    return text.removesuffix("\n")
