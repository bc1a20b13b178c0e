"""The projects of a repository that holds several: which there are, with packages locked and provided."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from factory.configuration.document import OWN_FILE, BadConfiguration, Configuration
from factory.configuration.in_force import configuration_in_force
from factory.contract.errors import Fault, WorkorderError
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import Plan, WorkOrder
from factory.environments.environment import Environment
from factory.environments.provide import Project
from factory.environments.provision.committed import commit_files
from factory.repository.target import Target
from factory.system.git.client import Git


@dataclass(frozen=True)
class Subproject:
    """A directory that is a project of its own.

    Attributes:
        directory: it.
        configuration: its own, as it counts.
        environment: what its commands find.
        alone: whether nothing else of the repository is verified.
    """

    directory: RepoPath
    configuration: Configuration
    environment: Environment
    alone: bool = False


class Provider(Protocol):
    """What locks and provides the packages of projects."""

    @property
    def progress(self) -> Callable[[str], None]:
        """Tells the user what happens now."""
        ...

    def environment_for(self, project: Project) -> AbstractContextManager[Environment]:
        """The interpreters and packages of a project, which are there within the block."""
        ...

    def locked(
        self,
        goal: Target,
        project: Project,
        require_ready: Callable[[], None],
        require_startable: Callable[[Environment], None],
    ) -> Target:
        """The target with a project's packages locked."""
        ...


class UnknownProject(WorkorderError):
    """A work order names a project that the repository does not have."""

    fault = Fault.PLAN_DEFECT


def require_known(orders: Iterable[WorkOrder], projects: Iterable[RepoPath]) -> None:
    """Refuse work orders of projects that the configuration does not name.

    Args:
        orders: what is to be executed.
        projects: the directories of the projects.

    Raises:
        UnknownProject: there is one.
    """
    known = tuple(projects)
    for order in orders:
        if order.project is not None and order.project not in known:
            listed = ", ".join(f"`{project}`" for project in known) or "no projects"
            raise UnknownProject(
                f"names the project `{order.project}`, but `{OWN_FILE}` names {listed}",
                where=order.id,
                hint=f"correct the work order, or add the directory to `projects` in `{OWN_FILE}`;"
                " `planner explain E110` says more",
            )


def starting_project(
    git: Git, commit: str, configuration: Configuration, plan: Plan | None, out: Path, alone: RepoPath | None
) -> Project:
    """What the repository itself is provided with: its root, or the directory that takes the root's place.

    Args:
        git: the repository.
        commit: the commit that work starts from.
        configuration: as it counts.
        plan: the plan; None if it is not at hand.
        out: the directory of the run or the build.
        alone: the directory that is the only project; None for the root.
    """
    if alone is None or plan is None:
        planned = plan.wanted_environment() if plan is not None else None
    else:
        # What the plan declares for the root is for the directory that takes its place.
        orders = tuple(order.model_copy(update={"project": None}) for order in plan.work_orders)
        planned = plan.model_copy(update={"work_orders": orders}).wanted_environment()
    return Project(git, commit, configuration, planned, out, alone, alone=alone is not None)


def projects_of(root: Project, plan: Plan | None, ports: Provider) -> tuple[Project, ...]:
    """What environments are provided for beside that of the root.

    Args:
        root: the root's, whose configuration names the others.
        plan: the plan; None if it is not at hand.
        ports: to tell of changes of a project's configuration that do not count.

    Raises:
        BadConfiguration: a directory is not there, or a project's configuration can't be used.
        GitError: git failed.
    """
    names = commit_files(root.git, root.commit).names if root.configuration.projects else frozenset[str]()
    projects: list[Project] = []
    for number, directory in enumerate(root.configuration.projects):
        if not any(name.startswith(f"{directory}/") for name in names):
            raise BadConfiguration(
                f"`{directory}` is no directory of the commit that work starts from",
                where=f"--project {directory}" if root.alone else f"{OWN_FILE}: projects[{number}]",
                hint=f"correct it, or commit a first file there, such as {directory}/README.md",
            )
        if root.alone:
            return (root,)
        in_force = configuration_in_force(root.git, root.commit, directory)
        for line in in_force.passed_over:
            ports.progress(line)
        planned = plan.wanted_environment(directory) if plan is not None else None
        projects.append(
            replace(root, configuration=in_force.configuration, planned=planned, directory=directory)
        )
    return tuple(projects)


def all_locked(
    goal: Target,
    root: Project,
    plan: Plan | None,
    ports: Provider,
    require_ready: Callable[[Target], None],
    try_services: Callable[[Environment], None],
) -> Target:
    """The branch with the packages of the root and of all projects locked.

    Args:
        goal: the branch.
        root: the root.
        plan: the plan; None if it is not at hand.
        ports: what is touched beside the repository.
        require_ready: refuses a repository that is not ready for a landing.
        try_services: refuses services that don't get ready beside the environment of the root; asked before
            the first landing.

    Raises:
        WorkorderError: see `locking.with_locked_packages` and `projects_of`.
    """
    tried = False

    def startable(project: Project, environment: Environment) -> None:
        nonlocal tried
        if tried:
            return
        if project is root:
            try_services(environment)
        else:
            with ports.environment_for(root) as own:
                try_services(own)
        tried = True

    projects = projects_of(root, plan, ports)
    for project in projects if root.alone else (root, *projects):
        goal = ports.locked(goal, project, partial(require_ready, goal), partial(startable, project))
    return goal


def opened(root: Project, plan: Plan | None, ports: Provider, used: ExitStack) -> tuple[Subproject, ...]:
    """The projects with their environments, which are there until `used` is closed.

    Args:
        root: the root.
        plan: the plan; None if it is not at hand.
        ports: what is touched beside the repository.
        used: keeps the environments.

    Raises:
        WorkorderError: see `projects_of` and `provide.environment_for`.
    """
    return tuple(
        Subproject(
            directory,
            project.configuration,
            used.enter_context(ports.environment_for(project)),
            alone=project.alone,
        )
        for project in projects_of(root, plan, ports)
        if (directory := project.directory) is not None
    )
