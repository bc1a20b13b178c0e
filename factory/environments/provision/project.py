"""What a whole project asks for, in all ecosystems: what it lacks of locks, and its environment."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from factory.contract.repo_path import RepoPath
from factory.environments.cache import Cache
from factory.environments.environment import Environment
from factory.environments.needs.declared import CommitFiles, Declared
from factory.environments.needs.go import go_needs
from factory.environments.needs.node.needs import node_needs
from factory.environments.needs.rust import rust_needs
from factory.environments.provision.go import go_locks, go_modules
from factory.environments.provision.node import node_locks, node_packages
from factory.environments.provision.part import joined
from factory.environments.provision.python import python_environment_for, python_is_open, python_locks
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


def open_ecosystems(
    files: CommitFiles, declared: Declared, cache: Cache, workshop: Workshop
) -> tuple[str, ...]:
    """What a commit lacks a lock for, such as `Python`; nothing is locked or fetched.

    Args:
        files: the commit's files.
        declared: by the configuration and the plan.
        cache: where environments are kept.
        workshop: where an interpreter is looked for.

    Raises:
        WorkorderError: a lock of the commit does not fit, or what asks for packages can't be read.
    """
    node, go, rust = node_needs(files, declared), go_needs(files), rust_needs(files)
    lacking = {
        "Python": python_is_open(files, declared, cache, workshop),
        "npm": node is not None and node.is_open,
        "Go": go is not None and go.is_open,
        "Rust": rust is not None and rust.is_open,
    }
    return tuple(name for name, is_open in lacking.items() if is_open)


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
