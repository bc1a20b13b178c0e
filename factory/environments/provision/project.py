"""What a whole project asks for, in all ecosystems: what it lacks of locks, and its environment."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from factory.contract.repo_path import RepoPath
from factory.environments.cache import Cache
from factory.environments.environment import Environment
from factory.environments.needs.declared import CommitFiles, Declared
from factory.environments.provision.go import go_locks, go_modules
from factory.environments.provision.node import node_locks, node_packages
from factory.environments.provision.part import joined
from factory.environments.provision.python import python_environment_for, python_locks
from factory.environments.provision.rust import rust_crates, rust_locks
from factory.environments.tools.workshop import Workshop


def missing_locks(
    files: CommitFiles, declared: Declared, cache: Cache, workshop: Workshop
) -> Mapping[RepoPath, bytes]:
    """The lock files that a commit lacks; none if all that it asks for is locked.

    Args:
        files: the commit's files.
        declared: by the configuration and the plan.
        cache: where environments are kept.
        workshop: where tools run.

    Raises:
        WorkorderError: a lock of the commit does not fit, or none can be made.
    """
    return {
        **python_locks(files, declared, cache, workshop),
        **node_locks(files, declared, workshop),
        **go_locks(files, workshop),
        **rust_locks(files, workshop),
    }


@contextmanager
def provided(
    files: CommitFiles, declared: Declared, cache: Cache, workshop: Workshop
) -> Iterator[Environment]:
    """Within the block there is what a commit has locked, and nobody removes it.

    Args:
        files: the commit's files.
        declared: by the configuration and the plan.
        cache: where environments are kept.
        workshop: where tools run.

    Raises:
        WorkorderError: something is not locked, or can't be provided.
    """
    with ExitStack() as kept:
        environment = kept.enter_context(python_environment_for(files, declared, cache, workshop))
        others = (
            node_packages(files, declared, cache, workshop),
            go_modules(files, cache, workshop),
            rust_crates(files, cache, workshop),
        )
        parts = [kept.enter_context(other) for other in others]
        yield joined(environment, [part for part in parts if part is not None])
