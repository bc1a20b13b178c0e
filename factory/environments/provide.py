"""Which environment a project's commands get: the one place that decides it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from factory.configuration.document import Configuration
from factory.contract.packages.planned import PlannedEnvironment
from factory.contract.repo_path import RepoPath
from factory.environments.cache import Cache, cache_folder
from factory.environments.environment import Environment
from factory.environments.needs.declared import declared
from factory.environments.provision.committed import commit_files
from factory.environments.provision.project import provided
from factory.environments.tools.workshop import FOLDER, Workshop
from factory.system.git.client import Git


@dataclass(frozen=True)
class Project:
    """What an environment is provided for.

    Attributes:
        git: the repository.
        commit: the full id of the commit whose files count: the base, before any work order.
        configuration: the repository's own, as it counts.
        planned: the packages that the plan declares; None for none.
        out: the directory of the run or the build, which gets what tools print; None to keep nothing.
        directory: the directory of the project; None for the repository's root.
        alone: whether nothing else of the repository is verified and provided for.
    """

    git: Git
    commit: str
    configuration: Configuration
    planned: PlannedEnvironment | None = None
    out: Path | None = None
    directory: RepoPath | None = None
    alone: bool = False

    def path_of(self, path: RepoPath) -> RepoPath:
        """The path in the repository of one that is relative to the project."""
        return path if self.directory is None else RepoPath(f"{self.directory}/{path}")


@contextmanager
def environment_for(
    project: Project, *, own: Mapping[str, str], progress: Callable[[str], None]
) -> Iterator[Environment]:
    """Within the block a project's environment is there, and nobody removes it.

    Args:
        project: the project.
        own: the factory's own environment variables.
        progress: tells the user what happens now.

    Raises:
        WorkorderError: what it asks for is not locked, or can't be provided here.
    """
    files = commit_files(project.git, project.commit, project.directory)
    wanted = declared(project.configuration.environment, project.planned)
    workshop = workshop_of(project, own=own, progress=progress)
    with provided(files, wanted, environments_in(own), workshop) as environment:
        places = {name: project.path_of(path) for name, path in environment.workspaces.items()}
        yield replace(environment, workspaces=places)


def workshop_of(project: Project, *, own: Mapping[str, str], progress: Callable[[str], None]) -> Workshop:
    """Where the tools run that provide a project's environment."""
    kept = project.out / FOLDER if project.out is not None else None
    if kept is not None and project.directory is not None:
        kept /= project.directory
    return Workshop(own, kept, progress)


def environments_in(own: Mapping[str, str]) -> Cache:
    """Where environments are kept.

    Args:
        own: the factory's own environment variables.

    Raises:
        MachineProblem: the variable for it names no place.
    """
    return Cache(cache_folder(own) / "environments")
