"""What counts as text: that a model may read, and that can be written; and how files are asked for."""

from collections.abc import Callable
from typing import TypeAlias

Read: TypeAlias = Callable[[str], bytes | None]
"""The bytes of the file at a path, None if there is none; raises `WorkorderError` if it can't be read."""


def decoded(data: bytes) -> tuple[str, str]:
    """A file's text, and what is wrong with the file if it is none; one of the two is empty."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return "", f"is not UTF-8 (byte {error.start})"
    return ("", "holds NUL, which no text does") if "\0" in text else (text, "")


def encodable(text: str) -> bool:
    """Whether `text` can be written as UTF-8: it holds no half of a surrogate pair."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
