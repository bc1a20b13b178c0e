"""A path inside a repository, parsed once and trusted afterwards; and words where one was asked for.

A `RepoPath` is relative, POSIX, normalised, and means the same file on every file system. Whether it is a
link on this machine is not known here: see `factory.system.files.tree`.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Annotated, Any, Final, Self

from pydantic import GetCoreSchemaHandler, PlainValidator
from pydantic_core import CoreSchema, PydanticCustomError, PydanticKnownError, core_schema

from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_PATH_BYTES, MAX_PATH_SEGMENT_BYTES

GLOB_CHARACTERS: Final = frozenset("*?[]")

_WINDOWS_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{name}{digit}" for name in ("com", "lpt") for digit in "0123456789¹²³"]
)
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_UNSEEN: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
_AROUND: Final = "`'\"“”«»()<>{},;:!\u2018\u2019"
_ONE_PATH: Final = re.compile(
    r"(?:(?:please )?(?:do not|don['\u2019]t|never|must not) (?:modify|change|edit|touch|write|alter)"
    r"(?: the file| file)? )?(?P<path>\S+)",
    re.IGNORECASE,
)


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
            cls.from_document, core_schema.str_schema(strict=True)
        )

    @classmethod
    def from_document(cls, text: str) -> Self:
        """`parse`, for a document that is being validated.

        Raises:
            PydanticCustomError: as `parse`.
        """
        try:
            return cls.parse(text)
        except UnsafePath as error:
            raise PydanticCustomError("unsafe_path", "{reason}", {"reason": error.message}) from error


class Prose(str):
    """Words about what must stay as it is; they stand where a path was asked for."""

    __slots__ = ()

    @property
    def path(self) -> RepoPath | None:
        """The path that must not be written, if the words say no more than that."""
        match = _ONE_PATH.fullmatch(" ".join(self.split()))
        return path_in(match["path"]) if match else None

    @property
    def problem(self) -> str:
        """Why the words are no path; empty if a file could have that name, blanks included."""
        try:
            RepoPath.parse(_without_slash(self))
        except UnsafePath as error:
            return error.message
        return ""

    @property
    def hashed(self) -> str:
        """The form that hashes are made of: like a path without its last slash, if it could be one."""
        return str(self) if self.problem else _without_slash(self)


Forbidden = RepoPath | Prose


def is_prose(text: str) -> bool:
    """Whether an entry of `forbidden` is words: something with a blank in it, or beside it."""
    return bool(text.strip()) and any(character.isspace() for character in text)


def parse_forbidden(value: object) -> Forbidden:
    """An entry of `forbidden`: words, or a path, be it with a slash behind it.

    Raises:
        PydanticKnownError, PydanticCustomError: it is neither.
    """
    if not isinstance(value, str):
        raise PydanticKnownError("string_type")
    if is_prose(value) and not any(map(_is_unseen, value)):
        return Prose(value)
    return RepoPath.from_document(_without_slash(value))


ForbiddenEntry = Annotated[Forbidden, PlainValidator(parse_forbidden)]


def forbids(entry: Forbidden, path: RepoPath) -> bool:
    """Whether an entry forbids a file that the work order allows.

    A path forbids what is below it, too. Words forbid the file of which they say that it must not be written;
    where they say anything else, what is allowed by name counts.
    """
    if isinstance(entry, RepoPath):
        return path.is_within(entry)
    return path == entry.path or (not entry.problem and path.is_within(RepoPath(entry.hashed)))


def path_in(word: str) -> RepoPath | None:
    """The path that a word is, without the marks around it and the full stop behind it."""
    bare = word.strip(_AROUND).rstrip(".").strip(_AROUND).removeprefix("./")
    try:
        return RepoPath.parse(_without_slash(bare))
    except UnsafePath:
        return None


# A plan names the same paths again and again.
@lru_cache(maxsize=16_384)
def _problem(text: str) -> str | None:
    if not text:
        return "the path is empty"
    if any(unicodedata.category(character) in _UNSEEN for character in text):
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


def _is_unseen(character: str) -> bool:
    return character not in "\n\t" and unicodedata.category(character) in _UNSEEN


def _without_slash(text: str) -> str:
    return text[:-1] if len(text) > 1 and text.endswith("/") else str(text)
