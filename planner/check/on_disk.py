"""Checks a plan on disk: reading and checking, joined. The rules know no disk."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import BadJson
from factory.plans.states.sources import Sources
from factory.system.plan_files import read_plan
from planner.check.document import Checked, check_broken_file, check_document, in_project, plan_of
from planner.specification.spec import Spec

if TYPE_CHECKING:
    from planner.repository.landed import LandedPlan


def check_plan(
    path: Path,
    repo_files: frozenset[str],
    spec: Spec | None = None,
    *,
    sources: Sources | None = None,
    project: RepoPath | None = None,
) -> Checked:
    """Check the manifest, or the directory that `read_plan` understands, at `path`.

    Args:
        path: the file or directory.
        repo_files: the tracked files that the plan starts from.
        spec: the specification that the plan is for, if it is known.
        sources: the repository as it is now; None if nobody looked.
        project: the project of work orders that name none; None to leave them.

    Raises:
        WorkorderError: there is no plan at `path`, or it can't be read.
    """
    try:
        document = in_project(read_plan(path), project)
    except BadJson as error:
        return check_broken_file(error)
    return check_document(document, repo_files, spec, sources=sources)


def check_built_plan(
    path: Path,
    repo: Path | None,
    branch: str | None = None,
    spec: Spec | None = None,
    allowed_packages: Collection[str] = (),
    project: RepoPath | None = None,
) -> "tuple[Checked, LandedPlan | None]":
    """Check the plan at `path` from where it starts in a repository that may hold a part of its results.

    Work orders that have landed are not judged: they are history, for a revision of the plan, too.

    Args:
        path: the manifest or directory.
        repo: the root of the repository; None for a new one.
        branch: where to look for what has landed; None for the checkout.
        spec: the specification that the plan is for, if it is known.
        allowed_packages: the names of packages that a person allows.
        project: the directory that is the only project; None to ask the configuration.

    Returns:
        The findings, and what the repository holds of the plan; None without a repository.

    Raises:
        WorkorderError: there is no plan at `path`, or it or the repository can't be read.
    """
    try:
        document = in_project(read_plan(path), project)
    except BadJson as error:
        return check_broken_file(error), None
    if repo is None:
        return check_document(document, frozenset(), spec, allowed_packages=allowed_packages), None
    # Only here: most plans are checked by themselves.
    from planner.repository.landed import landed_plan

    standing = landed_plan(repo, plan_of(document), branch, project)
    checked = check_document(
        document,
        standing.files,
        spec,
        sources=standing.sources,
        landed=standing.commits.keys(),
        allowed_packages=allowed_packages,
    )
    return checked, standing
