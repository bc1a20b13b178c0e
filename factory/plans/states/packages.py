"""Which packages a plan brings in, and whether people have named them. Pure."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.packages.names import normalised_name, parse_requirement
from factory.contract.packages.planned import PlannedEnvironment
from factory.contract.work_order import WorkOrder
from factory.plans.states.locks import LOCKS, locked_names
from factory.plans.states.sources import Sources

_NAMES_PACKAGES: Final = re.compile(
    r"workorder\.toml|pyproject\.toml|package\.json|requirements[\w.-]*\.(?:txt|in)"
)
"""The files of a project, in its own directory, in which people name packages."""

_SEPARATORS: Final = re.compile(r"(?<=\w)[-_.]+(?=\w)")


@dataclass(frozen=True)
class BroughtPackage:
    """A package that a plan brings in.

    Attributes:
        pointer: where in the work order, or in the plan.
        ecosystem: whose package it is, `python` or `node`.
        name: what it is called there.
    """

    pointer: str
    ecosystem: str
    name: str


def packages_of(order: WorkOrder) -> Iterator[BroughtPackage]:
    """The packages that a work order requires."""
    for position, package in enumerate(order.requires_packages):
        yield BroughtPackage(f"/requires_packages/{position}", package.ecosystem, package.name)


def packages_of_environment(environment: PlannedEnvironment | None) -> Iterator[BroughtPackage]:
    """The packages of a plan's environment."""
    if environment is None:
        return
    for position, text in enumerate(environment.python):
        name = normalised_name(parse_requirement(text).name)
        yield BroughtPackage(f"/environment/python/{position}", "python", name)
    for table, names in (("node", environment.node), ("node_dev", environment.node_dev)):
        for name in names:
            pointed = name.replace("~", "~0").replace("/", "~1")
            yield BroughtPackage(f"/environment/{table}/{pointed}", "node", name)


@dataclass(frozen=True)
class NamedPackages:
    """The packages that people have named.

    Attributes:
        specification: its text; empty if it is not known.
        sources: the repository, whose own files may name some, and whose locks hold some; None if unknown.
        allowed: the names that a person allows.
    """

    specification: str
    sources: Sources | None
    allowed: Collection[str] = ()

    def __contains__(self, package: BroughtPackage) -> bool:
        name = _plain(package.name)
        return (
            name in self._allowed
            or (package.ecosystem, name) in self._locked
            or re.search(rf"(?<![\w@/-]){re.escape(name)}(?![\w/-])", self._words) is not None
        )

    @cached_property
    def words(self) -> str:
        """What people have written that may name packages: the specification, the projects' manifests."""
        return "\n".join(
            (self.specification, *(text for name, text in self._files if _NAMES_PACKAGES.fullmatch(name)))
        )

    @cached_property
    def _words(self) -> str:
        return _plain(self.words)

    @cached_property
    def _allowed(self) -> frozenset[str]:
        return frozenset(map(_plain, self.allowed))

    @cached_property
    def _locked(self) -> frozenset[tuple[str, str]]:
        """What the repository's locks hold, whoever needs it."""
        return frozenset(
            (ecosystem, _plain(package))
            for name, text in self._files
            if name in LOCKS
            for ecosystem, package in locked_names(name, text)
        )

    @cached_property
    def _files(self) -> tuple[tuple[str, str], ...]:
        """The names and texts of the files that stand at the root or in the directory of a project."""
        if self.sources is None:
            return ()
        places = {"", *self.sources.projects}
        split = ((path, *path.rpartition("/")[::2]) for path in sorted(self.sources.files))
        return tuple(
            (name, self._text(path))
            for path, folder, name in split
            if folder in places and (name in LOCKS or _NAMES_PACKAGES.fullmatch(name))
        )

    def _text(self, path: str) -> str:
        """A file's text; empty if it can't be read."""
        assert self.sources is not None
        try:
            data = self.sources.read(path)
        except WorkorderError:
            return ""
        return (data or b"").decode("utf-8", "replace")


def _plain(text: str) -> str:
    return _SEPARATORS.sub("-", text).lower()
