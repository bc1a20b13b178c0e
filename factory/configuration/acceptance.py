"""Whether a person accepted what work orders may write of the user's configuration: asked before a model is.

What is guarded is decided in `guarded`; here it is looked up in the user's repository.
"""

import os
import posixpath
from collections.abc import Sequence, Set
from pathlib import Path

from factory.configuration.committed import file_at, link_at, links
from factory.configuration.document import OWN_FILE, PROJECT_FILE
from factory.configuration.guarded import require_accepted, require_listed
from factory.contract.repo_path import RepoPath, UnsafePath
from factory.contract.work_order import WorkOrder
from factory.system.git.client import Git


def require_acceptance(
    git: Git,
    base: str,
    orders: Sequence[WorkOrder],
    pending: Sequence[WorkOrder],
    accepted: Set[RepoPath],
) -> None:
    """Refuse work orders that may write the user's configuration, and options that accept nothing.

    Args:
        git: the user's repository.
        base: the commit that the work orders start from.
        orders: all work orders of the plan.
        pending: those that are to be executed, in the plan's order.
        accepted: the files that a person accepted.

    Raises:
        NotAccepted: a file is not accepted, or one is accepted that no work order may write.
        GitError: git failed.
    """
    require_listed(orders, accepted)
    hooks = _hook_folder(git)
    places = dict.fromkeys(_linked_to(git, base), "a link to it configures Workorder")
    if hooks is not None:
        places[hooks] = "git runs what lies there"
    require_accepted(pending, lambda path: file_at(git, base, path) is not None, accepted, places)


def _linked_to(git: Git, base: str) -> list[RepoPath]:
    """Where the files of the configuration are, if what has their names are links."""
    places: list[RepoPath] = []
    for link in links(git, base, tuple(map(RepoPath.parse, (OWN_FILE, PROJECT_FILE)))):
        place = link
        while place not in places and (goal := link_at(git, base, place)) is not None:
            inside = _inside(posixpath.join(posixpath.dirname(place), goal))
            if inside is None:
                break
            place = inside
            places.append(place)
    return places


def _inside(place: str) -> RepoPath | None:
    try:
        return RepoPath.parse(posixpath.normpath(place))
    except UnsafePath:
        # Nothing that a work order could list.
        return None


def _hook_folder(git: Git) -> RepoPath | None:
    """The directory of the user's hooks, if `core.hooksPath` names one of the checkout."""
    # Our own calls give it another value, as everybody's calls may that come with settings of their own.
    listing = git.call("config", "-z", "--show-scope", "--type=path", "--get-all", "core.hooksPath").stdout
    fields = os.fsdecode(listing).split("\0")
    values = [value for scope, value in zip(fields[0::2], fields[1::2], strict=False) if scope != "command"]
    if not values:
        return None
    place = Path(os.path.normpath(git.work_tree / values[-1]))
    if not place.is_relative_to(git.work_tree):
        return None
    return _inside(place.relative_to(git.work_tree).as_posix())
