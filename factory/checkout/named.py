"""A checkout in name alone: the commit that a trial elsewhere starts from, of which no file is here."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

from factory.checkout.state.git_state import BorrowingRepository
from factory.checkout.workspace import Checkout
from factory.contract.repo_path import RepoPath
from factory.system.git.client import Git

_NOWHERE: Final = Path("nowhere")


class NamedCheckout(Checkout):
    """What stands for the checkout that is made on another machine; nothing can be done with it here.

    Args:
        user: the user's repository.
        commit: the full id of the baseline.
    """

    def __init__(self, user: Git, commit: str) -> None:
        scratch = user.common_dir / _NOWHERE
        git = user.with_work_tree(scratch / "checkout", scratch / "index")
        super().__init__(git, commit, scratch, BorrowingRepository(git, commit))

    def offer(self, node_modules: Path | None, workspaces: Mapping[str, RepoPath] | None = None) -> None:
        # Who makes the checkout offers them there.
        pass

    def changed_since_staging(self) -> tuple[str, ...]:
        _not_here()

    def restore(self) -> None:
        _not_here()

    def advance(self) -> None:
        _not_here()

    def _note_staged(self, paths: Sequence[RepoPath]) -> None:
        _not_here()


def _not_here() -> NoReturn:
    raise AssertionError("the files of this checkout are on another machine")
