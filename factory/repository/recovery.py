"""After a kill: a landing that was cut off is finished, if the branch had moved by then."""

import os
from typing import Final

from factory.repository.in_place_note import InPlaceNote
from factory.repository.index_lock import remove_own_locks
from factory.repository.landing import is_occupied
from factory.repository.landing_note import Landing, LandingNote
from factory.repository.target import NotRestored, checkout_of
from factory.system.files.tree import sync_files
from factory.system.git.changes import changes
from factory.system.git.client import Git, GitError
from factory.system.terminal.console import listed

_TYPES: Final = ("blob", "tree", "commit")


def recover(git: Git) -> str | None:
    """Finish a landing that a crash cut off. Call it with the repository's lock held.

    Returns:
        What was done, for the user; None if there was nothing to do.

    Raises:
        NotRestored: the checkout holds changes of the user's in the files of the landing.
    """
    note = LandingNote.of(git)
    landing = note.read()
    if landing is None:
        return None
    remove_own_locks(git, note.path)
    note.remove_index()
    message = None
    if git.commit_id(landing.ref) == landing.new:
        _, current = git.head()
        shown = git if current == landing.ref else checkout_of(git, landing.ref)
        if shown is not None and _complete(shown, landing):
            message = f"finished the landing of {landing.new[:12]} that was cut off"
        InPlaceNote.of(git).advance(landing.ref, landing.new)
    note.remove()
    return message


def _complete(git: Git, landing: Landing) -> bool:
    """Bring the files of the landing to the new commit, and touch no other file.

    Returns:
        Whether there was something to do.

    Raises:
        NotRestored: one of the files holds something that is neither of the commits'.
    """
    old, new = landing.old, landing.new
    paths = tuple(changes(git, old, new))
    if not paths:
        return False
    staged = _entries(git, "ls-files", "-z", "--stage", "--", *paths)
    before, after = (_entries(git, "ls-tree", "-z", commit, "--", *paths) for commit in (old, new))
    if staged == after:
        # The index is written last: the landing was complete, and what differs now is the user's work.
        return False
    theirs = [
        path
        for path in paths
        if staged.get(path) not in (before.get(path), after.get(path)) or not _is_between(git, path, landing)
    ]
    if theirs:
        raise NotRestored(
            f"a landing was cut off, and these files hold changes of yours: {listed(theirs)}",
            where=str(git.work_tree),
            hint=f"save them elsewhere, then run `git reset --hard {new}`",
        )
    try:
        git.output("checkout", new, "--", *paths)
        sync_files(git.work_tree, paths)
        sync_files(git.git_dir, ["index"])
    except (GitError, OSError) as error:
        raise NotRestored(
            f"a landing was cut off and can't be finished: {error}",
            where=str(git.work_tree),
            hint="remove the cause, then run again",
        ) from error
    return True


def _entries(git: Git, *listing: str) -> dict[str, str]:
    """The mode and the object of each path, from `ls-files --stage` or `ls-tree`."""
    entries = {}
    for entry in git.output(*listing).split(b"\0"):
        facts, tab, name = entry.partition(b"\t")
        if tab:
            words = facts.decode("ascii").split(" ")
            entries[os.fsdecode(name)] = f"{words[0]} {words[1] if words[1] not in _TYPES else words[2]}"
    return entries


def _is_between(git: Git, path: str, landing: Landing) -> bool:
    """Whether a file is as in one of the commits, absent, or the beginning of the new one."""
    place = git.work_tree / path
    if not os.path.lexists(place):
        # Something else on the way to it is not ours to replace.
        return not is_occupied(git.work_tree, path)
    if place.is_symlink() or not place.is_file():
        return False
    # The blobs as git would write them here, line endings and filters included.
    wanted = git.call("cat-file", "--filters", f"{landing.new}:{path}").stdout
    before = git.call("cat-file", "--filters", f"{landing.old}:{path}")
    data = place.read_bytes()
    return wanted.startswith(data) or (before.ok and data == before.stdout)
