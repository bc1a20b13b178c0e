"""Locks what a project leaves open, as a commit of its own in front of the work orders."""

from collections.abc import Callable, Mapping

from factory.environments.environment import Environment
from factory.environments.needs.declared import CommitFiles, declared
from factory.environments.needs.node.needs import unread_workspaces
from factory.environments.needs.python.needs import python_needs
from factory.environments.provide import Project, environments_in, workshop_of
from factory.environments.provision.committed import commit_files
from factory.environments.provision.project import missing_locks, open_ecosystems, provided
from factory.repository.locked_packages import land_locks
from factory.repository.target import Target


def not_locked_yet(project: Project, own: Mapping[str, str]) -> tuple[str, ...]:
    """The ecosystems whose packages a run or a build would lock first; nothing is changed.

    Args:
        project: the project.
        own: the factory's own environment variables.

    Raises:
        WorkorderError: a lock does not fit, or what asks for packages can't be read.
    """
    files = commit_files(project.git, project.commit, project.directory)
    wanted = declared(project.configuration.environment, project.planned)
    workshop = workshop_of(project, own=own, progress=lambda _line: None)
    return open_ecosystems(files, wanted, environments_in(own), workshop)


def not_read(project: Project) -> tuple[str, ...]:
    """What a person should know of files that ask for packages and are not read, where no others are.

    Args:
        project: the project.

    Raises:
        WorkorderError: what asks for packages can't be read.
    """
    files = commit_files(project.git, project.commit, project.directory)
    wanted = declared(project.configuration.environment, project.planned)
    needs = python_needs(files, wanted)
    of_python = () if needs.own or wanted.python or needs.lock is not None else needs.unread
    return tuple(filter(None, (*of_python, unread_workspaces(files))))


def with_locked_packages(
    goal: Target,
    project: Project,
    require_ready: Callable[[], None],
    require_startable: Callable[[Environment], None],
    *,
    own: Mapping[str, str],
    progress: Callable[[str], None],
) -> Target:
    """The branch with all packages of a project locked; a commit is landed if something is not.

    What is locked has been installed before it lands.

    Args:
        goal: the branch; what is not locked is locked on top of its tip.
        project: the project.
        require_ready: refuses a repository that is not ready for a landing; asked only before one.
        require_startable: refuses what can't run with the environment that is locked; asked when it is
            installed.
        own: the factory's own environment variables.
        progress: tells the user what happens now.

    Raises:
        WorkorderError: a lock does not fit, none can be made or installed, or the commit can't be landed.
    """
    files = commit_files(project.git, project.commit, project.directory)
    wanted = declared(project.configuration.environment, project.planned)
    cache, workshop = environments_in(own), workshop_of(project, own=own, progress=progress)
    locks = missing_locks(files, wanted, cache, workshop)
    if not locks:
        return goal
    require_ready()

    texts = {str(path): data for path, data in locks.items()}

    def read(path: str) -> bytes | None:
        return texts.get(path) or files.read(path)

    with provided(CommitFiles(files.names | set(texts), read), wanted, cache, workshop) as environment:
        require_startable(environment)
        placed = {project.path_of(path): data for path, data in locks.items()}
        landed = land_locks(goal, placed)
    progress(f"locked the packages: {', '.join(sorted(placed))} landed as {landed.baseline[:12]}")
    return landed
