"""Whether a work order's files could become part of a commit at all: asked before a model is."""

import os
from pathlib import Path

from factory.attempt.failure import Failure, Stage
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.repository.target import Target
from factory.system.git.client import Git, GitError, said


def unlandable_path(order: WorkOrder, git: Git, goal: Target) -> Failure | None:
    """The first allowed file that can't land, as a plan defect; None if all can.

    Args:
        order: the work order.
        git: the repository, looking at a checkout of the baseline.
        goal: where it would land.
    """
    return _in_submodule(order, git, goal.baseline) or _ignored(order, git)


def _in_submodule(order: WorkOrder, git: Git, baseline: str) -> Failure | None:
    parents = {
        path.rsplit("/", depth)[0]: path
        for path in order.allowed_files
        for depth in range(path.count("/") + 1)
    }
    listing = git.output("ls-tree", "-z", baseline, "--", *sorted(parents))
    for entry in listing.split(b"\0"):
        facts, _, name = entry.partition(b"\t")
        if facts.split(b" ")[:1] == [b"160000"]:
            submodule = os.fsdecode(name)
            path = parents[submodule]
            return Failure.plan_defect(
                Stage.PREFLIGHT,
                f"`{path}` lies in the submodule `{submodule}`",
                where=path,
                hint="change the submodule's own repository",
            )
    return None


def _ignored(order: WorkOrder, git: Git) -> Failure | None:
    names = b"".join(os.fsencode(path) + b"\0" for path in order.allowed_files)
    # This command refuses literal pathspecs; a `RepoPath` has no character that would be magic.
    ignored = git.call("check-ignore", "-z", "-v", "--stdin", stdin=names, env={"GIT_LITERAL_PATHSPECS": "0"})
    if ignored.exit_code not in (0, 1) and b"beyond a symbolic link" not in ignored.stderr:
        raise GitError(f"git check-ignore failed: {said(ignored)}", where=str(git.work_tree))
    fields = ignored.stdout.split(b"\0")
    for source, line, pattern, name in zip(
        fields[0::4], fields[1::4], fields[2::4], fields[3::4], strict=False
    ):
        if pattern.startswith(b"!"):
            continue
        path = RepoPath.parse(os.fsdecode(name))
        rule = f"{Path(os.fsdecode(source)).name}:{line.decode()} `{os.fsdecode(pattern)}`"
        return Failure.plan_defect(
            Stage.PREFLIGHT,
            f"`{path}` is ignored by git ({rule}), so it would not be part of the product",
            where=path,
            hint="take it out of the work order, or change the rule",
        )
    return None
