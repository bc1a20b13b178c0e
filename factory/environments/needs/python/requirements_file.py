"""Reads `requirements.txt` and the like, as pip does, and refuses a line that is no package of an index."""

import posixpath
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from packaging.requirements import Requirement

from factory.contract.packages.names import parse_requirement
from factory.environments.needs.declared import BadPackages, CommitFiles
from factory.environments.needs.python.pins import HASH, MarkerEnvironment, Pin, applies

_MAX_FILES: Final = 20
_MAX_LINES: Final = 20_000
_COMMENT: Final = re.compile(r"(?:^|\s)#.*$")
_OPTION: Final = re.compile(r"\s(--?[a-z].*)$", re.DOTALL)
_HARMLESS: Final = ("--require-hashes", "--prefer-binary", "--only-binary", "--pre")
_FILES: Final = {"-r": True, "--requirement": True, "-c": False, "--constraint": False}
_HINT: Final = "packages come from the index of your own configuration, see the page on environments"


@dataclass(frozen=True)
class Line:
    """A line of a requirements file.

    Attributes:
        requirement: the package.
        hashes: those that the line gives.
        where: the file and the line's number.
        is_constraint: whether it only limits versions.
    """

    requirement: Requirement
    hashes: tuple[str, ...]
    where: str
    is_constraint: bool = False

    @property
    def is_locked(self) -> bool:
        """Whether it names one version and the hashes of its files."""
        operators = [specifier.operator for specifier in self.requirement.specifier]
        return operators == ["=="] and bool(self.hashes) and "*" not in str(self.requirement.specifier)


def read_requirements(path: str, files: CommitFiles) -> tuple[Line, ...]:
    """The lines of a requirements file and of those that it names.

    Args:
        path: the file.
        files: where it is.

    Raises:
        BadPackages: a line is no package of an index, or a file is missing.
    """
    return tuple(_lines(path, files, [], constraint=False))


def locked_pins(lines: tuple[Line, ...], environment: MarkerEnvironment) -> tuple[Pin, ...] | None:
    """What the lines pin, if all of them do; None if one leaves a version or a hash open.

    Raises:
        BadPackages: a hash is none.
    """
    wanted = [line for line in lines if not line.is_constraint]
    if not wanted or not all(line.is_locked for line in wanted):
        return None
    pins = {
        pin.name: pin
        for line in wanted
        if applies(line.requirement, environment)
        for pin in [
            Pin.of(
                line.requirement.name,
                next(iter(line.requirement.specifier)).version,
                line.hashes,
                line.where,
            )
        ]
    }
    return tuple(sorted(pins.values()))


def _lines(path: str, files: CommitFiles, seen: list[str], *, constraint: bool) -> Iterator[Line]:
    text = files.text(path)
    if text is None:
        raise BadPackages("there is no such file in the commit", where=path)
    seen.append(path)
    if len(seen) > _MAX_FILES:
        raise BadPackages("names too many other files", where=seen[0])
    for number, written in _joined(text, path):
        where = f"{path}:{number}"
        if written.startswith("-"):
            yield from _option(written, where, path, files, seen, constraint)
        else:
            yield _requirement(written, where, constraint)


def _joined(text: str, path: str) -> Iterator[tuple[int, str]]:
    """The lines that say something, each with its number, without comments, continuations joined."""
    pending, start = "", 0
    lines = text.splitlines()
    if len(lines) > _MAX_LINES:
        raise BadPackages(f"has more than {_MAX_LINES:,} lines", where=path)
    for number, line in enumerate([*lines, ""], 1):
        if not pending:
            start = number
        bare = line if pending and not line.strip() else _COMMENT.sub("", line)
        if bare.endswith("\\"):
            pending += bare[:-1] + " "
            continue
        written = (pending + bare).strip()
        pending = ""
        if written:
            yield start, written


def _requirement(written: str, where: str, constraint: bool) -> Line:
    options = _OPTION.search(written)
    body = written[: options.start()] if options else written
    hashes = []
    for word in options[1].split() if options else ():
        value = word.removeprefix("--hash=")
        if value == word or not HASH.fullmatch(value):
            raise _refused(word, where)
        hashes.append(value)
    try:
        requirement = parse_requirement(body.strip())
    except ValueError as error:
        raise BadPackages(f"`{body.strip()[:100]}` {error}", where=where, hint=_HINT) from error
    return Line(requirement, tuple(hashes), where, constraint)


def _option(
    written: str, where: str, path: str, files: CommitFiles, seen: list[str], constraint: bool
) -> Iterator[Line]:
    try:
        words = shlex.split(written)
    except ValueError as error:
        raise BadPackages("has an open quotation", where=where) from error
    name, _, value = words[0].partition("=")
    if name in _HARMLESS:
        return
    if name not in _FILES:
        raise _refused(name, where)
    target = value or " ".join(words[1:])
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if place in seen:
        return
    if target.startswith("/") or place.startswith("..") or place not in files.names:
        raise BadPackages(f"`{target[:100]}` is no file of the repository", where=where)
    yield from _lines(place, files, seen, constraint=constraint or not _FILES[name])


def _refused(option: str, where: str) -> BadPackages:
    what = "an editable package" if option in ("-e", "--editable") else f"the option `{option[:60]}`"
    return BadPackages(f"{what} is not taken from a repository", where=where, hint=f"take it out; {_HINT}")
