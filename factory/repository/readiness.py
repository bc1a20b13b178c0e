"""Whether a run may start in the user's repository: everything that must hold before a model is paid.

Changes nothing. Where it starts and lands is in `target`.
"""

import os
import tempfile
from pathlib import Path
from typing import Final

from factory.repository.commit import require_signature
from factory.repository.index_lock import IndexLocked, wait_for_index
from factory.repository.target import Refused, Target, refuse_operation, require_outside
from factory.system.git.client import Git, changed_entries
from factory.system.git.operations import rebased_elsewhere
from factory.system.process.environment import searched_places
from factory.system.sandbox.visible import environments_in
from factory.system.terminal.console import listed, visible

_SUBMODULE: Final = "160000 "


def require_ready(target: Target, *, in_place: bool, may_delete_ignored: bool) -> None:
    """Check everything that must hold before the first change.

    Raises:
        Refused: an operation is in progress, something is not committed, the user is unknown to git,
            commits are to be signed and can't be, or working in place would delete ignored files.
    """
    require_outside(Path(tempfile.gettempdir()), target.git, "the directory for temporary files (TMPDIR)")
    _refuse_rebase_of(target)
    for git in _distinct(target.git, target.checkout):
        refuse_operation(git)
        dirty = changed_entries(git.output("status", "--porcelain", "-z", "--untracked-files=all"))
        if dirty:
            raise Refused(
                f"the checkout is not clean: {listed(dirty)}",
                where=str(git.work_tree),
                hint="commit or stash your changes, and commit, ignore or remove untracked files",
            )
    if target.checkout is not None:
        _wait_for_index(target.checkout)
    if in_place:
        _require_in_place(target, may_delete_ignored)
    for role in ("AUTHOR", "COMMITTER"):
        if not target.git.call("var", f"GIT_{role}_IDENT").ok:
            raise Refused(
                "git does not know who commits",
                where=str(target.git.work_tree),
                hint="set it: git config user.name NAME && git config user.email ADDRESS",
            )
    require_signature(target.git, target.baseline)


def _refuse_rebase_of(target: Target) -> None:
    if rebased_elsewhere(target.git.common_dir, target.ref):
        raise Refused(
            f"the branch {target.branch} is being rebased",
            where=str(target.git.work_tree),
            hint="finish the rebase or abort it, then run again",
        )


def _wait_for_index(git: Git) -> None:
    try:
        wait_for_index(git)
    except IndexLocked as error:
        raise Refused(
            error.message,
            where=error.where,
            hint="wait for it; if no git is running, delete the file",
        ) from error


def _require_in_place(target: Target, may_delete_ignored: bool) -> None:
    if target.checkout is not target.git:
        raise Refused(
            f"working in place needs the branch {target.branch} to be checked out",
            where=str(target.git.work_tree),
        )
    _refuse_places_of_programs(target.git.work_tree)
    tracked = target.git.paths("ls-files", "-z", "--stage")
    submodules = [entry.partition("\t")[2] for entry in tracked if entry.startswith(_SUBMODULE)]
    if submodules:
        # What a command makes a repository there, git obeys: ours while it compares, the user's ever after.
        raise Refused(
            f"working in place can't put submodules back: {listed(submodules)}",
            where=str(target.git.work_tree),
            hint="leave out --in-place",
        )
    wanted = ("--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory")
    ignored = target.git.paths("ls-files", "-z", *wanted)
    if ignored and not may_delete_ignored:
        raise Refused(
            f"working in place would delete ignored files: {listed(ignored)}",
            where=str(target.git.work_tree),
            hint="leave out --in-place, or say --delete-ignored if they may go",
        )


def _refuse_places_of_programs(root: Path) -> None:
    """Refuse variables by which our own programs would be looked for among files that commands write."""
    protected = environments_in(root)
    for name in ("PATH", "LD_LIBRARY_PATH"):
        for place in map(Path, searched_places(os.environ, name)):
            real = place.resolve()
            if real.is_relative_to(root) and not any(real.is_relative_to(kept) for kept in protected):
                raise Refused(
                    f"{name} names {visible(str(place))}: git would be looked for where commands write",
                    where=str(root),
                    hint=f"leave out --in-place, or take that off {name}",
                )


def _distinct(*repositories: Git | None) -> list[Git]:
    return list({git.work_tree: git for git in repositories if git is not None}.values())
