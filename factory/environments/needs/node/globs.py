"""Which directories patterns of `workspaces` name, as npm reads them: `packages/*`, `dir/**`, `!dir/old`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final

from factory.environments.needs.declared import BadPackages
from factory.environments.needs.node.manifest import MANIFEST

_MOST_CHARS: Final = 300
_MOST_PATTERNS: Final = 300
_BRACES: Final = re.compile(r"\{([^{}]*,[^{}]*)\}")
# A pattern in parentheses, a class by its name, a range in braces, a comment.
_NOT_READ: Final = re.compile(r"[@+*?!]\(|\[\[|\{[^{}]*\.\.|^#|\\|[\x00-\x1f]")
_WILD: Final = re.compile(r"[*?\[{]")


def chosen(patterns: Sequence[str], directories: Iterable[str]) -> tuple[str, ...]:
    """Those of some directories that patterns name, sorted.

    Args:
        patterns: as they stand in the manifest; one with `!` in front takes away again.
        directories: paths below that of the manifest.

    Raises:
        BadPackages: a pattern leaves the directory of the manifest, or can't be read.
    """
    named: list[str] = []
    negated: list[str] = []
    for written in patterns:
        pattern = written.lstrip("!")
        is_negated = (len(written) - len(pattern)) % 2 == 1
        variants = list(islice(_variants(written, re.sub(r"^\.?/+", "", pattern)), _MOST_PATTERNS + 1))
        if is_negated:
            negated += variants
        else:
            # The last word on a directory counts.
            negated = [other for other in negated if not any(_is_among(one, other) for one in variants)]
            named += variants
        if len(named) + len(negated) > _MOST_PATTERNS:
            raise BadPackages(
                f"`workspaces` has more than {_MOST_PATTERNS} patterns",
                where=MANIFEST,
                hint="name directories by fewer, such as `packages/*`",
            )
    taken = [one for one in named if not any(_is_among(one, other) for other in negated)]
    return tuple(
        sorted(
            directory
            for directory in directories
            if any(_matches(directory, one) for one in taken)
            and not any(_matches(directory, other, dot=True) for other in negated)
        )
    )


def plain(patterns: Iterable[str]) -> Iterator[str]:
    """The patterns that are the path of one directory."""
    for pattern in patterns:
        path = re.sub(r"^\.?/+", "", pattern).rstrip("/")
        if path and not pattern.startswith("!") and not _WILD.search(path):
            yield path


def _variants(written: str, pattern: str) -> Iterator[str]:
    """A pattern without braces, as each of what stands in them has it."""
    segments = [segment for segment in pattern.split("/") if segment]
    if not segments or ".." in segments or "." in segments:
        raise BadPackages(
            f"`workspaces`: `{written[:100]}` names no directories below that of {MANIFEST}",
            where=MANIFEST,
            hint="name directories of the repository by their paths, such as `packages/*`",
        )
    if len(pattern) > _MOST_CHARS or _NOT_READ.search(pattern):
        raise BadPackages(
            f"`workspaces`: `{written[:100]}` is a pattern that Workorder does not read",
            where=MANIFEST,
            hint="use `*`, `**`, `?`, `[a-z]`, `{a,b}` and a leading `!`, or name the directories one by one",
        )
    left = ["/".join(segments)]
    while left:
        one = left.pop()
        braces = _BRACES.search(one)
        if braces is None:
            yield one
        else:
            left += [one[: braces.start()] + word + one[braces.end() :] for word in braces[1].split(",")]


def _is_among(text: str, pattern: str) -> bool:
    """Whether one pattern, read as a path, lies in another; `a/**` names `a`, which does not lie in it."""
    return _matches(text, f"{pattern}/*" if pattern.endswith("/**") else pattern)


def _matches(path: str, pattern: str, *, dot: bool = False) -> bool:
    """Whether a pattern names a path; `dot` lets wildcards stand for names that begin with a dot."""
    parts = pattern.split("/")
    at = _with_empty({0}, parts)
    for name in path.split("/"):
        after = set()
        for place in at - {len(parts)}:
            part = parts[place]
            if name.startswith(".") and not dot and not part.startswith("."):
                continue
            if part == "**":
                after.add(place)
            elif fnmatchcase(name, part.replace("[^", "[!")):
                after.add(place + 1)
        at = _with_empty(after, parts)
    return len(parts) in at


def _with_empty(places: set[int], parts: Sequence[str]) -> set[int]:
    """Places in a pattern, with those behind a `**` that stands for nothing."""
    reached = set(places)
    for place, part in enumerate(parts):
        if place in reached and part == "**":
            reached.add(place + 1)
    return reached
