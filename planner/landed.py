"""Which commit landed each work order of a plan, as the trailers of a branch tell. Only reads."""

import os
from pathlib import Path
from typing import Final

from factory.contract.canonical import contract_hash
from factory.contract.errors import WorkorderError
from factory.contract.work_order import Plan
from factory.system.git import Git

_FORMAT: Final = "%x00".join(
    ("%H", *(f"%(trailers:key={key},valueonly,unfold,separator=%x2C)" for key in ("Work-Order", "Contract")))
)


class NoSuchBranch(WorkorderError):
    """A revision that the repository does not have."""


def landed_commits(repo: Path, plan: Plan, branch: str | None = None) -> dict[str, str]:
    """The newest commit of each work order that has landed with its present contract, by id.

    Args:
        repo: the root of the repository.
        plan: the plan.
        branch: where to look; None for the checkout's HEAD.

    Raises:
        NotARepository: `repo` is not the root of a git work tree.
        NoSuchBranch: `branch` names no commit.
        GitError: git failed.
    """
    git = Git.open(repo)
    tip = git.commit_id(branch if branch is not None else "HEAD")
    if tip is None:
        if branch is None:
            return {}
        raise NoSuchBranch("there is no such branch", where=f"--branch {branch}")
    contracts = {order.id: contract_hash(order) for order in plan.work_orders}
    found: dict[str, str] = {}
    listing = git.output("log", "--fixed-strings", "--grep=Contract: ", f"--format={_FORMAT}", tip, "--")
    for line in os.fsdecode(listing).split("\n"):
        commit, *trailers = line.split("\0")
        if len(trailers) == 2 and contracts.get(trailers[0]) == trailers[1]:
            found.setdefault(trailers[0], commit)
    return found
