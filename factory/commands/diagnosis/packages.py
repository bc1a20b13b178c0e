"""What `factory doctor` tells of the packages that a repository declares: whether they are locked.

Nothing is locked, fetched or installed for it.
"""

from collections.abc import Mapping
from pathlib import Path

from factory.commands.diagnosis.observation import Observation
from factory.configuration.document import Configuration
from factory.configuration.in_force import configuration_in_force, configuration_of_one
from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.environments.locking import not_locked_yet, not_read
from factory.environments.provide import Project
from factory.system.git.client import Git


def packages_here(
    repo: Path | None, environment: Mapping[str, str], project: RepoPath | None = None
) -> tuple[Observation, ...]:
    """A finding for each project with packages that are not locked or not read, or a lock that does not fit.

    Args:
        repo: the repository; None, or what is none, declares nothing.
        environment: the factory's own environment.
        project: the directory that is the only project; None for the whole repository.
    """
    try:
        git = Git.open(repo) if repo is not None else None
        head = git.commit_id("HEAD") if git is not None else None
        if git is None or head is None:
            return ()
        general = configuration_of_one(git, head, project).configuration
    except (WorkorderError, OSError):
        # The findings of services tell of a configuration that can't be used.
        return ()
    places = general.projects if project is not None else (None, *general.projects)
    findings = (_finding(git, head, place, general, place == project, environment) for place in places)
    return tuple(finding for finding in findings if finding is not None)


def _finding(
    git: Git,
    head: str,
    place: RepoPath | None,
    general: Configuration,
    is_general: bool,
    environment: Mapping[str, str],
) -> Observation | None:
    name = "packages" if place is None else f"packages in {place}"
    try:
        configuration = general if is_general else configuration_in_force(git, head, place).configuration
        project = Project(git, head, configuration, directory=place)
        lacking, unread = not_locked_yet(project, environment), not_read(project)
    except WorkorderError as error:
        fix = (error.hint,) if error.hint else ()
        return Observation(name=name, state="error", found=error.headline, fix=fix)
    if not lacking:
        return Observation(name=name, state="warning", found="; ".join(unread)) if unread else None
    fix = ("nothing to do: `factory run` and `factory build` lock them first, by a commit of their own",)
    return Observation(
        name=name, state="warning", found=f"declared and not locked yet: {', '.join(lacking)}", fix=fix
    )
