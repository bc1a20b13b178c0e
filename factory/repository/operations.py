"""What the user is in the middle of, such as a merge: told by what git leaves in the git directory."""

import os

from factory.system.git.client import OPERATIONS, Git


def operation_in_progress(git: Git) -> str | None:
    """What the user is in the middle of, such as `a merge`."""
    return next((what for name, what in OPERATIONS.items() if (git.git_dir / name).exists()), None)


def rebased_elsewhere(git: Git, ref: str) -> bool:
    """Whether a rebase in some work tree is going to move the branch when it ends."""
    for folder in ("rebase-merge", "rebase-apply"):
        for note in (
            git.common_dir / folder / "head-name",
            *git.common_dir.glob(f"worktrees/*/{folder}/head-name"),
        ):
            if note.is_file() and os.fsdecode(note.read_bytes()).strip() == ref:
                return True
    return False
