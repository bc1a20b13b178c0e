"""pytest's own configuration, of whatever file: where it stands, what it holds, what of it changed. Pure.

The files are hostile: what can't be read counts as changed.
"""

import configparser
import re
import tomllib
from collections.abc import Mapping
from typing import Final

from factory.contract.repo_path import RepoPath

MAX_BYTES: Final = 1_000_000
"""The largest file of configuration that is looked into."""

Section = Mapping[str, object]

_INI: Final = {
    "pytest.ini": "pytest",
    ".pytest.ini": "pytest",
    "tox.ini": "pytest",
    "setup.cfg": "tool:pytest",
}
_TOML: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "pyproject.toml": (("tool", "pytest", "ini_options"), ("tool", "pytest")),
    "pytest.toml": (("pytest",),),
    ".pytest.toml": (("pytest",),),
}
_ITS_OWN: Final = frozenset({"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"})
"""Files that pytest takes for its configuration even without a section."""

FILES: Final = (*_INI, *_TOML)
"""The names under which pytest looks for its configuration."""

_FREE: Final = frozenset({"markers", "minversion", "console_output_style", "asyncio_mode"})
_FREE_BEGINNINGS: Final = ("log_", "asyncio_default_")
"""Keys that don't decide which tests run, nor what fails them."""

_HEADER: Final = re.compile(r"\[[^\[\]#;]+\]")


class Unreadable(ValueError):
    """A text that can't be read as what its name says."""


def is_pytest_file(path: RepoPath) -> bool:
    """Whether pytest may take a file of that name for its configuration."""
    return _name(path) in FILES


def rivals(path: RepoPath) -> tuple[RepoPath, ...]:
    """The other files, in the same directory and in those above, that may configure pytest as well."""
    segments = path.segments[:-1]
    folders = ["/".join(segments[:depth]) for depth in range(len(segments), -1, -1)]
    places = [f"{folder}/{name}" if folder else name for folder in folders for name in FILES]
    return tuple(RepoPath.parse(place) for place in places if place != path)


def section_of(path: RepoPath, data: bytes | None) -> Section | None:
    """What a file tells pytest; None if it configures nothing.

    Raises:
        Unreadable: it can't be known.
    """
    if data is None:
        return None
    name = _name(path)
    if name in _TOML:
        section = _tables(parsed_toml(data), _TOML[name])
    else:
        # A name in such a file can't be written in another way.
        section = _ini_section(_text(data), _INI[name]) if b"pytest" in data else None
    return {} if section is None and name in _ITS_OWN else section


def guarded_keys(old: Section | None, new: Section | None) -> tuple[str, ...]:
    """The keys that another file or section gives another value, and that decide what is tested."""
    before, after = old or {}, new or {}
    changed = [
        key
        for key in sorted({*before, *after})
        if (key in before) != (key in after) or before.get(key) != after.get(key)
    ]
    return tuple(key for key in changed if key not in _FREE and not key.startswith(_FREE_BEGINNINGS))


def parsed_toml(data: bytes) -> dict[str, object]:
    """A TOML file.

    Raises:
        Unreadable: it is none.
    """
    text = _text(data)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable("is not valid TOML") from error


def _tables(document: dict[str, object], places: tuple[tuple[str, ...], ...]) -> Section | None:
    section: dict[str, object] = {}
    present = False
    for keys in places:
        value: object = document
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, dict):
            inner = {
                key: entry
                for key, entry in value.items()
                if keys != ("tool", "pytest") or key != "ini_options"
            }
            present = present or bool(inner) or keys != ("tool", "pytest")
            section |= inner
        elif value is not None:
            raise Unreadable("holds something else in the place of a table")
    return section if present else None


def _ini_section(text: str, name: str) -> Section | None:
    # Lines and headers as pytest reads them, which ends lines and comments where `configparser` doesn't.
    lines = []
    for line in text.splitlines():
        bare = re.split("[#;]", line, maxsplit=1)[0].rstrip()
        if bare.startswith("[") and bare.endswith("]"):
            line = bare
        if line.lstrip().startswith("[") and not _HEADER.fullmatch(line):
            raise Unreadable("holds a line that may be the head of a section")
        lines.append(line)
    parser = configparser.RawConfigParser(default_section="\0")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string("\n".join(lines))
    except (configparser.Error, ValueError) as error:
        raise Unreadable("is not valid as a configuration file") from error
    return dict(parser.items(name)) if parser.has_section(name) else None


def _text(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise Unreadable(f"has more than {MAX_BYTES:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable("is not UTF-8") from error


def _name(path: RepoPath) -> str:
    return path.segments[-1].casefold()
