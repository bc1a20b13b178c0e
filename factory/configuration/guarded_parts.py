"""Whether a proposal changes what is the user's within a file that it may otherwise write. Pure.

Files that are the user's as a whole are in `guarded`.
"""

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Final

from factory.configuration.document import OWN_FILE, PROJECT_FILE, PROJECT_TABLE
from factory.configuration.guarded import is_verification, obeyed
from factory.configuration.hook_changes import ignoring_change, steering_change
from factory.configuration.pytest_sections import (
    Section,
    Unreadable,
    guarded_keys,
    is_pytest_file,
    parsed_toml,
    rivals,
    section_of,
)
from factory.configuration.selection import newly_selecting
from factory.contract.repo_path import RepoPath

_CONFTEST: Final = "conftest.py"


@dataclass(frozen=True)
class Trespass:
    """What a proposal changes although it is the user's.

    Attributes:
        part: what it is, as a sentence about the file goes on.
        free: what of the file may be changed; empty if nothing.
    """

    part: str
    free: str = ""


@dataclass(frozen=True)
class Guard:
    """What keeps the user's configuration during a run.

    Attributes:
        at_base: the bytes of a file as the user had it, before any work order of the plan; None of one that
            was not there.
        accepted: the files whose change a person accepted.
    """

    at_base: Callable[[RepoPath], bytes | None]
    accepted: Set[RepoPath] = frozenset()

    def trespass(self, path: RepoPath, old: bytes | None, new: bytes) -> Trespass | None:
        """What a write would do that only a person can accept, and nobody did; None if nothing."""
        if path in self.accepted:
            return None
        return trespass(path, old, new, self.at_base) or selection(path, old, new)


def trespass(
    path: RepoPath, old: bytes | None, new: bytes, at_base: Callable[[RepoPath], bytes | None]
) -> Trespass | None:
    """What of the user's configuration a write would change; None if nothing.

    Args:
        path: the file.
        old: its bytes now; None if it does not exist.
        new: the bytes that are proposed.
        at_base: the bytes of a file as the user had it, before any work order of the plan; None of one that
            was not there.
    """
    if old == new:
        return None
    reason = obeyed(path)
    if reason is not None:
        return Trespass(f"is the user's configuration ({reason})")
    if is_verification(path):
        return None if old is None else Trespass("verifies the repository, and is there already")
    name = path.segments[-1].casefold()
    try:
        if name == PROJECT_FILE and own_table(old) != own_table(new):
            table = f"`[{'.'.join(PROJECT_TABLE)}]`"
            return Trespass(
                f"changes {table}, which configures Workorder as `{OWN_FILE}` does", "other tables"
            )
        if is_pytest_file(path):
            return _pytest_change(path, old, new, at_base)
    except Unreadable as error:
        return Trespass(
            f"{error}, so what it configures can't be compared", "a valid file with the same settings"
        )
    if name == _CONFTEST and old is not None and at_base(path) is not None:
        steering = steering_change(old, new)
        if steering is not None:
            return Trespass(
                f"changes what steers the test runner: {steering}",
                "fixtures, other functions, imports and constants",
            )
    return None


def selection(path: RepoPath, old: bytes | None, new: bytes) -> Trespass | None:
    """What a write says of which tests are found or run, also in a file that the plan itself brings.

    Args:
        path: the file.
        old: its bytes now; None if it does not exist.
        new: the bytes that are proposed.
    """
    names: tuple[str, ...]
    if path.segments[-1].casefold() == _CONFTEST:
        ignoring = ignoring_change(old, new)
        names = (ignoring,) if ignoring else ()
        free = "everything else"
    elif is_pytest_file(path):
        try:
            names = newly_selecting(_readable(path, old), section_of(path, new))
        except Unreadable as error:
            return Trespass(f"{error}, so what it configures can't be known", "a valid file")
        free = "other settings, such as `pythonpath`, `testpaths`, `markers` or `addopts = -q`"
    else:
        return None
    said = ", ".join(f"`{name}`" for name in names)
    return Trespass(f"says which tests are found or run: {said}", free) if names else None


def _readable(path: RepoPath, data: bytes | None) -> Section | None:
    try:
        return section_of(path, data)
    except Unreadable:
        return None


def _pytest_change(
    path: RepoPath, old: bytes | None, new: bytes, at_base: Callable[[RepoPath], bytes | None]
) -> Trespass | None:
    before, after = section_of(path, old), section_of(path, new)
    if before == after:
        return None
    if _section_or_none(path, at_base(path)) is None:
        # A plan may configure the tests that it brings, but nothing that the user has configured.
        for rival in rivals(path):
            if _section_or_none(rival, at_base(rival)) is not None:
                return Trespass(f"configures pytest in place of `{rival}`", "everything but pytest's section")
        return None
    keys = guarded_keys(before, after)
    if not keys and after is not None:
        return None
    changed = ", ".join(f"`{key}`" for key in keys) or "all of it"
    return Trespass(f"changes pytest's configuration: {changed}", "other sections, and `markers` in this one")


def _section_or_none(path: RepoPath, data: bytes | None) -> object | None:
    try:
        return section_of(path, data)
    except Unreadable:
        # Something that may be the user's configuration.
        return {}


def own_table(data: bytes | None) -> object | None:
    """What a `pyproject.toml` configures of Workorder; None if nothing.

    Raises:
        Unreadable: it can't be known.
    """
    value: object = {} if data is None else parsed_toml(data)
    for key in PROJECT_TABLE:
        value = value.get(key) if isinstance(value, dict) else None
    return value
