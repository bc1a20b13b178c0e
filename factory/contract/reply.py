"""Finds the JSON text in a model's reply. Parses nothing and repairs nothing: see `strict_json`."""

import re
from typing import Final

_FENCE: Final = re.compile(r"^[ \t]*(?P<ticks>`{3,})[ \t]*(?P<language>[^`\n]*?)[ \t\r]*$", re.MULTILINE)


def json_text(reply: str) -> str:
    """The part of `reply` that is meant to be the JSON document.

    A reply that begins with `{` or `[` is taken as it is. Otherwise the one fenced block that is labelled
    `json`, or not labelled and begins like JSON, is taken, whatever prose stands around it. A line that is
    only a fence can't be part of JSON, because a JSON string holds no line breaks, so fences inside strings
    don't matter. A block that is never closed is taken to the end of the reply.

    Returns:
        The text to parse. A reply without such a block, or with several, is returned whole: which of them
        is meant can't be known.
    """
    text = reply.strip().removeprefix("\ufeff").strip()
    if text.startswith(("{", "[")):
        return text
    blocks = [block for language, block in _fenced_blocks(text) if _means_json(language, block)]
    return blocks[0] if len(blocks) == 1 else text


def _fenced_blocks(text: str) -> list[tuple[str, str]]:
    blocks: list[tuple[str, str]] = []
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
        elif not fence["language"] and len(fence["ticks"]) >= len(opening["ticks"]):
            blocks.append((opening["language"], text[opening.end() : fence.start()].strip()))
            opening = None
    if opening is not None:
        rest = text[opening.end() :].strip()
        blocks.append((opening["language"], rest.removesuffix(opening["ticks"]).rstrip()))
    return blocks


def _means_json(language: str, block: str) -> bool:
    return language.lower() == "json" or (not language and block.startswith(("{", "[")))
