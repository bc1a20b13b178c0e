"""Python from end to end: what a commit asks for becomes a lock, and a lock becomes an environment."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from factory.contract.repo_path import RepoPath
from factory.environments.bare import bare_environment
from factory.environments.cache import Cache
from factory.environments.environment import Environment
from factory.environments.needs.declared import CommitFiles, Declared, not_locked
from factory.environments.needs.python.needs import (
    OWN_LOCK,
    PythonLock,
    PythonNeeds,
    asks_for_something,
    python_lock,
    python_needs,
)
from factory.environments.needs.python.pins import Pin
from factory.environments.provision.python_interpreter import Chosen, choose_interpreter
from factory.environments.provision.python_packages import lock_python, python_packages
from factory.environments.tools.workshop import Workshop


@dataclass(frozen=True)
class _Project:
    """What is known of a project's Python; `lock` is None where a bare environment has all of it."""

    needs: PythonNeeds
    chosen: Chosen
    lock: PythonLock | None


def python_locks(
    files: CommitFiles, declared: Declared, cache: Cache, workshop: Workshop
) -> Mapping[RepoPath, bytes]:
    """The lock files that a commit lacks.

    Args:
        files: the commit's files.
        declared: by the configuration and the plan.
        cache: where environments are kept.
        workshop: where tools run.

    Raises:
        WorkorderError: a lock of the commit does not fit, or none can be made.
    """
    project = _look_into(files, declared, cache, workshop)
    if project.lock is not None and project.lock.is_whole:
        return {}
    for note in project.needs.unread:
        workshop.progress(note)
    if project.lock is None:
        return {}
    for note in project.needs.notes:
        workshop.progress(note)
    text = lock_python(
        project.needs, project.lock, files.text(OWN_LOCK), project.chosen, declared, cache, workshop
    )
    return {RepoPath.parse(OWN_LOCK): text}


def python_is_open(files: CommitFiles, declared: Declared, cache: Cache, workshop: Workshop) -> bool:
    """Whether Python packages are yet to be locked.

    Args:
        files: the commit's files.
        declared: by the configuration and the plan.
        cache: where environments are kept.
        workshop: where tools run.

    Raises:
        WorkorderError: a lock of the commit does not fit, or the interpreter is not here.
    """
    lock = _look_into(files, declared, cache, workshop).lock
    return lock is not None and not lock.is_whole


@contextmanager
def python_environment_for(
    files: CommitFiles, declared: Declared, cache: Cache, workshop: Workshop
) -> Iterator[Environment]:
    """Within the block there is what a commit has locked; the bare environment if it asks for nothing.

    Args:
        files: the commit's files.
        declared: by the configuration and the plan.
        cache: where environments are kept.
        workshop: where tools run.

    Raises:
        WorkorderError: something is not locked, or can't be provided.
    """
    project = _look_into(files, declared, cache, workshop)
    if project.lock is None:
        with bare_environment(cache) as bare:
            yield bare
        return
    if not project.lock.is_whole:
        raise not_locked("the Python packages", OWN_LOCK)
    with python_packages(
        project.lock.pins, project.needs.direct, project.chosen, cache, workshop, declared.allow_build
    ) as environment:
        yield environment


def _look_into(files: CommitFiles, declared: Declared, cache: Cache, workshop: Workshop) -> _Project:
    needs = python_needs(files, declared)
    chosen = choose_interpreter(needs, workshop)
    if chosen.is_own and needs.lock is None and not _more_than_bare(needs, chosen, cache):
        return _Project(needs, chosen, None)
    return _Project(needs, chosen, python_lock(needs, files, chosen.markers))


def _more_than_bare(needs: PythonNeeds, chosen: Chosen, cache: Cache) -> bool:
    if not needs.own and len(needs.added) == 1 and not needs.direct - {"pytest"}:
        return bool(needs.added[0].specifier) and _exceeds(needs, chosen, cache)
    return _exceeds(needs, chosen, cache)


def _exceeds(needs: PythonNeeds, chosen: Chosen, cache: Cache) -> bool:
    with bare_environment(cache) as bare:
        present = [Pin(package.name, package.version, ()) for package in bare.packages]
    return asks_for_something(needs, present, chosen.markers)
