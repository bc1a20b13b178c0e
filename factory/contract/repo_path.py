"""A path inside a repository, parsed once and trusted afterwards.

A `RepoPath` is relative, POSIX, normalised, and means the same file on every file system. Whether it is a
link on this machine is not known here: see `factory.system.files.tree`.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Any, Final, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_PATH_BYTES, MAX_PATH_SEGMENT_BYTES

GLOB_CHARACTERS: Final = frozenset("*?[]")

_WINDOWS_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{name}{digit}" for name in ("com", "lpt") for digit in "0123456789¹²³"]
)
_DRIVE: Final = re.compile(r"[A-Za-z]:")


class UnsafePath(WorkorderError):
    """A text that is not a safe repository path; `where` holds the text, escaped."""


class RepoPath(str):
    """A safe path relative to the repository's root, such as `src/board.py`."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Check `text` and make it a path.

        Raises:
            UnsafePath: the text is absolute, not normalised, leaves the repository, names git's own data,
                holds a glob or control character, or is a name that some file system folds into another.
        """
        problem = _problem(text)
        if problem is not None:
            raise UnsafePath(problem, where=ascii(text[:200]))
        return cls(text)

    @property
    def segments(self) -> tuple[str, ...]:
        """The names between the slashes, outermost first."""
        return tuple(self.split("/"))

    def is_within(self, other: "RepoPath") -> bool:
        """Whether this is `other` itself or lies below it."""
        return self == other or self.startswith(other + "/")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            cls._from_document, core_schema.str_schema(strict=True)
        )

    @classmethod
    def _from_document(cls, text: str) -> Self:
        try:
            return cls.parse(text)
        except UnsafePath as error:
            raise PydanticCustomError("unsafe_path", "{reason}", {"reason": error.message}) from error


# A plan names the same paths again and again.
@lru_cache(maxsize=16_384)
def _problem(text: str) -> str | None:
    if not text:
        return "the path is empty"
    if any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in text):
        return "the path holds a control, invisible or surrogate character"
    if len(text.encode("utf-8")) > MAX_PATH_BYTES:
        return f"the path is longer than {MAX_PATH_BYTES} bytes"
    if "\\" in text:
        return "the path holds a backslash; separate names with /"
    if _DRIVE.match(text):
        return "the path begins with a drive letter; paths are relative to the repository"
    if text.startswith("/"):
        return "the path is absolute; paths are relative to the repository"
    globs = sorted(GLOB_CHARACTERS.intersection(text))
    if globs:
        return f"the path holds the glob character {globs[0]}; name each file"
    if unicodedata.normalize("NFC", text) != text:
        return "the path is not in Unicode normal form C"
    for segment in text.split("/"):
        problem = _segment_problem(segment)
        if problem is not None:
            return problem
    return None


def _segment_problem(segment: str) -> str | None:
    if segment == "":
        return "the path has an empty name (a doubled, leading or trailing slash)"
    if segment in (".", ".."):
        return f"the path holds {segment}; paths are normalised and stay inside the repository"
    if len(segment.encode("utf-8")) > MAX_PATH_SEGMENT_BYTES:
        return f"a name in the path is longer than {MAX_PATH_SEGMENT_BYTES} bytes"
    if segment[-1] in ". " or segment[0] == " ":
        return "a name in the path begins with a space, or ends with a dot or a space"
    if ":" in segment:
        return "the path holds a colon, which names a stream or a drive on some file systems"
    # Case folding and compatibility forms: on some file systems `.GIT` or a full-width `.git` is `.git`.
    folded = unicodedata.normalize("NFKC", segment).casefold()
    if folded == ".git" or re.fullmatch(r"git~[0-9]+", folded):
        return "the path is git's own data"
    if folded.split(".", 1)[0].rstrip() in _WINDOWS_DEVICES:
        return "a name in the path is a device on Windows"
    return None
