"""Checks a plan on disk: reading and checking, joined. The rules know no disk."""

from pathlib import Path

from factory.contract.python_source import Read
from factory.contract.strict_json import BadJson
from factory.system.plan_files import read_plan
from planner.check import Checked, check_broken_file, check_document
from planner.rule import unread


def check_plan(path: Path, repo_files: frozenset[str], *, read: Read = unread) -> Checked:
    """Check the manifest, or the directory that `read_plan` understands, at `path`.

    Args:
        path: the file or directory.
        repo_files: the target repository's tracked files.
        read: gives the bytes of those files.

    Raises:
        WorkorderError: there is no plan at `path`, or it can't be read.
    """
    try:
        document = read_plan(path)
    except BadJson as error:
        return check_broken_file(error)
    return check_document(document, repo_files, read=read)
