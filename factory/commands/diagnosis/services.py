"""What `factory doctor` tells of the services that a repository configures: whether they could run here."""

from collections.abc import Mapping
from pathlib import Path

from factory.commands.diagnosis.observation import Observation
from factory.configuration.in_force import configuration_of_one
from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.contract.services.declared import Service
from factory.services.presets import RECIPES
from factory.services.resolution import installed_programs, program_version
from factory.system.git.client import Git


def services_here(
    repo: Path | None, environment: Mapping[str, str], level: str | None, project: RepoPath | None = None
) -> tuple[Observation, ...]:
    """A finding for each service that the repository configures.

    Args:
        repo: the repository; None, or what is none, configures nothing.
        environment: the factory's own environment.
        level: the level of the sandbox that a run would use; None if it would be refused.
        project: the directory that is the only project; None for the whole repository.
    """
    try:
        git = Git.open(repo) if repo is not None else None
        head = git.commit_id("HEAD") if git is not None else None
    except (WorkorderError, OSError):
        return ()
    if git is None or head is None:
        return ()
    try:
        services = configuration_of_one(git, head, project).configuration.services
    except WorkorderError as error:
        fix = (error.hint,) if error.hint else ()
        return (Observation(name="configuration", state="error", found=error.headline, fix=fix),)
    return tuple(_finding(service, environment, level) for service in services)


def _finding(service: Service, environment: Mapping[str, str], level: str | None) -> Observation:
    name = f"service {service.called}"
    if level == "landlock":
        return Observation(
            name=name,
            state="error",
            found="the sandbox landlock gives commands no loopback of their own",
            fix=("make bubblewrap work, see above",),
        )
    if service.preset is None:
        return Observation(name=name, state="ok", found=f"started by `{service.command}`")
    recipe = RECIPES[service.preset]
    programs = installed_programs(recipe, environment)
    if programs is None:
        return Observation(
            name=name,
            state="error",
            found=f"{' and '.join(recipe.programs)} not found",
            fix=("install it, or put its programs on PATH:", f"apt-get install {recipe.packages}"),
        )
    server = programs[recipe.programs[0]]
    return Observation(name=name, state="ok", found=f"{program_version(server)}, {server}")
