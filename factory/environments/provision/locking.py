"""Locks what a project leaves open, as a commit of its own in front of the work orders."""

from collections.abc import Callable

from factory.configuration.document import Configuration
from factory.contract.packages.planned import PlannedEnvironment
from factory.contract.repo_path import RepoPath
from factory.environments.cache import Cache
from factory.environments.needs.declared import CommitFiles, declared
from factory.environments.provision.committed import commit_files
from factory.environments.provision.project import missing_locks, provided
from factory.environments.tools.workshop import Workshop
from factory.repository.locked_packages import land_locks
from factory.repository.target import Target


def with_locked_packages(
    target: Target,
    base: str,
    configuration: Configuration,
    planned: PlannedEnvironment | None,
    cache: Cache,
    workshop: Workshop,
    require_ready: Callable[[], None],
    directory: RepoPath | None = None,
) -> Target:
    """The target with all packages locked; a commit is landed if something is not.

    What is locked has been installed before it lands.

    Args:
        target: the branch; what is not locked is locked on top of its tip.
        base: the commit whose files count: before any work order of the plan.
        configuration: the repository's own, as it counts.
        planned: what the plan declares; None if it declares nothing.
        cache: where environments are kept.
        workshop: where tools run.
        require_ready: refuses a repository that is not ready for a landing; asked only before one.
        directory: the project's directory; None for the repository's root.

    Raises:
        WorkorderError: a lock does not fit, none can be made or installed, or the commit can't be landed.
    """
    files = commit_files(target.git, base, directory)
    wanted = declared(configuration.environment, planned)
    locks = missing_locks(files, wanted, cache, workshop)
    if not locks:
        return target
    require_ready()

    texts = {str(path): data for path, data in locks.items()}

    def read(path: str) -> bytes | None:
        return texts.get(path) or files.read(path)

    with provided(CommitFiles(files.names | set(texts), read), wanted, cache, workshop):
        placed = {
            path if directory is None else RepoPath(f"{directory}/{path}"): data
            for path, data in locks.items()
        }
        landed = land_locks(target, placed)
    workshop.progress(f"locked the packages: {', '.join(sorted(placed))} landed as {landed.baseline[:12]}")
    return landed
