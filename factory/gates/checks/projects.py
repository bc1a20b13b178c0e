"""Verification of a repository that holds several projects: each in its directory, the root without them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from factory.contract.repo_path import RepoPath
from factory.contract.work_order import VERIFY_SCRIPT, WorkOrder
from factory.gates.check import Check, CheckContext, CheckFamily, CheckResult, Landing
from factory.languages.table import languages_in

NOTHING_BESIDE: Final = "skipped: no sources beside the projects"


def touched(order: WorkOrder, projects: Iterable[RepoPath]) -> frozenset[RepoPath | None]:
    """The projects that a work order may change, and its own.

    Args:
        order: the work order.
        projects: their directories.

    Returns:
        Directories; None stands for what is in none of them.
    """
    known = tuple(projects)
    places = {
        next((project for project in known if path.is_within(project)), None) for path in order.allowed_files
    }
    return frozenset({*places, *([order.project] if order.project is not None else [])})


def within(project: RepoPath, check: Check | CheckFamily) -> Check | CheckFamily:
    """The check of a project."""
    return FamilyWithin(project, check) if isinstance(check, CheckFamily) else Within(project, check)


def named(name: str, project: RepoPath | None) -> str:
    """What a check is called in records."""
    return name if project is None else f"{name} in {project}"


@dataclass(frozen=True)
class Within:
    """A check of a project.

    Attributes:
        project: its directory.
        check: the check.
    """

    project: RepoPath
    check: Check

    @property
    def name(self) -> str:
        return named(self.check.name, self.project)

    def run(self, context: CheckContext) -> CheckResult:
        result = self.check.run(context.within(self.project))
        return result.model_copy(
            update={
                "name": self.name,
                "failing_tests": _below(self.project, result.failing_tests),
                "passed_tests": _below(self.project, result.passed_tests),
                "removed_tests": _below(self.project, result.removed_tests),
            }
        )


@dataclass(frozen=True)
class FamilyWithin:
    """The checks of a family in a project.

    Attributes:
        project: its directory.
        family: the family.
    """

    project: RepoPath
    family: CheckFamily

    def checks(self, context: CheckContext) -> tuple[Check, ...]:
        """The checks of a tree."""
        own = self.family.checks(context.within(self.project))
        return tuple(Within(self.project, check) for check in own)


@dataclass(frozen=True)
class Beside:
    """A check of the root, of what is in none of the projects.

    Attributes:
        projects: their directories.
        check: the check.
    """

    projects: tuple[RepoPath, ...]
    check: Check

    @property
    def name(self) -> str:
        return self.check.name

    def run(self, context: CheckContext) -> CheckResult:
        beside = replace(context, landing=_Without(context.landing, self.projects))
        if not context.tree.exists(VERIFY_SCRIPT) and not languages_in(beside.landing):
            return CheckResult(name=self.name, note=NOTHING_BESIDE)
        return self.check.run(beside)


@dataclass(frozen=True)
class FamilyBeside:
    """The checks of a family for what is in none of the projects.

    Attributes:
        projects: their directories.
        family: the family.
    """

    projects: tuple[RepoPath, ...]
    family: CheckFamily

    def checks(self, context: CheckContext) -> tuple[Check, ...]:
        """The checks of a tree."""
        return self.family.checks(replace(context, landing=_Without(context.landing, self.projects)))


@dataclass(frozen=True)
class Shared:
    """A check of written files, each judged with what its project has.

    Attributes:
        by_project: the check of each project, by its directory; that of the root under None.
    """

    by_project: Mapping[RepoPath | None, Check]

    @property
    def name(self) -> str:
        return self.by_project[None].name

    def run(self, context: CheckContext) -> CheckResult:
        result = CheckResult(name=self.name)
        projects = tuple(project for project in self.by_project if project is not None)
        for project, check in self.by_project.items():
            result = check.run(_outside(context, projects) if project is None else context.within(project))
            if not result.passed:
                break
        return result


def _outside(context: CheckContext, projects: tuple[RepoPath, ...]) -> CheckContext:
    """The same, with a work order that writes what is in none of the projects alone."""
    if context.order is None:
        return context
    own = tuple(path for path in context.writable if not any(map(path.is_within, projects)))
    return replace(context, order=context.order.model_copy(update={"allowed_files": own}))


@dataclass(frozen=True)
class _Without:
    """A tree without some directories."""

    landing: Landing
    projects: tuple[RepoPath, ...]

    def __contains__(self, path: str) -> bool:
        return not any(map(RepoPath(path).is_within, self.projects)) and path in self.landing

    def __iter__(self) -> Iterator[str]:
        below = tuple(f"{project}/" for project in self.projects)
        return (path for path in self.landing if not path.startswith(below))

    def is_directory(self, path: str) -> bool:
        return not any(map(RepoPath(path).is_within, self.projects)) and self.landing.is_directory(path)


def _below(project: RepoPath, tests: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Ids of tests as the root knows them."""
    return None if tests is None else tuple(f"{project}/{test}" for test in tests)
