"""What people did about a build's work orders after it ended: the next build takes it up. For a view."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from factory.contract.errors import WorkorderError
from factory.contract.identity import contract_trailers
from factory.contract.work_order import WorkOrder
from factory.people.skips import skip_of, skips_of
from factory.system.git.client import Git
from factory.system.git.commits import landing_commits


def done_since(git_dir: Path, branch: str, orders: Iterable[WorkOrder]) -> Mapping[str, str]:
    """What became of work orders that a build did not land, by their ids, in words.

    Those of which nothing is known are missing, all of them where the repository is gone.

    Args:
        git_dir: the git directory that all work trees share.
        branch: where they land.
        orders: the work orders, as the plan has them.
    """
    try:
        skips = skips_of(git_dir)
        git = Git.beside(git_dir)
        contracts = {order.id: contract_trailers(order) for order in orders}
        landed = landing_commits(git, branch, contracts) if contracts else {}
    except (WorkorderError, OSError):
        return {}
    left_out = {order.id: "is left out" for order in orders if skip_of(skips, order)}
    return left_out | {name: f"has landed as {commit.id[:12]}" for name, commit in landed.items()}
