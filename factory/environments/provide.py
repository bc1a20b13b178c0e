"""Which environment a project's commands get: the one place that decides it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from factory.configuration.document import Configuration
from factory.environments.bare import bare_environment
from factory.environments.cache import Cache, cache_folder
from factory.environments.environment import Environment
from factory.system.git.client import Git


@dataclass(frozen=True)
class Project:
    """What an environment is provided for.

    Attributes:
        git: the repository.
        commit: the full id of the commit whose files count: the base, before any work order.
        configuration: the repository's own, as it counts.
    """

    git: Git
    commit: str
    configuration: Configuration


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
        MachineProblem: it can't be provided here.
    """
    with bare_environment(environments_in(own)) as environment:
        yield environment


def environments_in(own: Mapping[str, str]) -> Cache:
    """Where environments are kept.

    Args:
        own: the factory's own environment variables.

    Raises:
        MachineProblem: the variable for it names no place.
    """
    return Cache(cache_folder(own) / "environments")
