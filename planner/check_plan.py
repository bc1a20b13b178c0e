"""Checks a plan on disk: reading and checking, joined. The rules know no disk."""

from pathlib import Path

from factory.contract.python_source import Read
from factory.contract.strict_json import BadJson
from factory.system.plan_files import read_plan
from planner.check import Checked, check_broken_file, check_document
from planner.rule import unread
from planner.spec import Spec


def check_plan(
    path: Path, repo_files: frozenset[str], spec: Spec | None = None, *, read: Read = unread
) -> Checked:
    """Check the manifest, or the directory that `read_plan` understands, at `path`.

    Args:
        path: the file or directory.
        repo_files: the target repository's tracked files.
        spec: the specification that the plan is for, if it is known.
        read: gives the bytes of those files.

    Raises:
        WorkorderError: there is no plan at `path`, or it can't be read.
    """
    try:
        document = read_plan(path)
    except BadJson as error:
        return check_broken_file(error)
    return check_document(document, repo_files, spec, read=read)
