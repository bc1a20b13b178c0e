"""What the user is in the middle of, such as a merge: told by what git leaves in the git directory."""

import os
from pathlib import Path
from typing import Final

OPERATIONS: Final = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase or am",
    "sequencer": "a sequence of picks",
}
"""What git leaves in the git directory while an operation of several steps is in progress."""


def operation_in_progress(git_dir: Path) -> str | None:
    """What the user of a git directory is in the middle of, such as `a merge`."""
    return next((what for name, what in OPERATIONS.items() if (git_dir / name).exists()), None)


def rebased_elsewhere(common_dir: Path, ref: str) -> bool:
    """Whether a rebase in some work tree is going to move the branch when it ends."""
    for folder in ("rebase-merge", "rebase-apply"):
        for note in (
            common_dir / folder / "head-name",
            *common_dir.glob(f"worktrees/*/{folder}/head-name"),
        ):
            if note.is_file() and os.fsdecode(note.read_bytes()).strip() == ref:
                return True
    return False
