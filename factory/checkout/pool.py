"""The checkouts of a run or a build: handed out, used again, and removed at its end."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from factory.checkout.in_place import in_place as working_in_place
from factory.checkout.leftovers import make_scratch, remove_scratch, scratch_directory
from factory.checkout.throw_away import ThrowAwayCheckout
from factory.checkout.workspace import Checkout
from factory.contract.errors import WorkorderError
from factory.repository.target import Target
from factory.system.git.client import Git
from factory.system.process.signals import shielded
from factory.system.sandbox.port import Sandbox


class Checkouts:
    """Throw-away checkouts of one repository, as many as are used at once; threads may share it.

    A block: at its end all of them are removed. No checkout may be in use then.

    Args:
        git: the user's repository, whose lock is held.
        sandbox: what commands in them run in; None for nothing.
    """

    def __init__(self, git: Git, sandbox: Sandbox | None = None) -> None:
        self._git = git
        self._owner = sandbox.owner_of if sandbox is not None else _ours
        self._lock = Lock()
        self._free: list[ThrowAwayCheckout] = []
        self._clean: set[Path] = set()
        """The scratch directories of free ones that nobody has used since they were put back."""
        # Wherever an interruption comes, what was made is found here at the end.
        self._scratches: set[Path] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with shielded(), ExitStack() as removing:
            for scratch in sorted(self._scratches):
                removing.callback(self._remove, scratch)

    @contextmanager
    def at(self, commit: str) -> Iterator[ThrowAwayCheckout]:
        """Within the block there is a checkout at a commit, which nobody else uses.

        After the block it is free as it is, and cleaned when it is handed out again: that is one pass over
        the files instead of two. Who has time in between cleans it ahead, see `clean_ahead`. After an
        exception that is not an ordinary one it is removed.

        Args:
            commit: the full id of the baseline.

        Raises:
            GitError, FileProblem, OSError: none can be made.
        """
        opened = self._take(commit) or self._make(commit)
        usable = False
        try:
            yield opened
            usable = True
        except Exception:
            usable = True
            raise
        finally:
            if usable:
                with self._lock:
                    self._free.append(opened)
            else:
                self._remove(opened.scratch)

    def clean_ahead(self, commit: str) -> None:
        """Put a free one at a commit now, so that who asks for it next does not wait.

        Args:
            commit: the full id of the baseline.
        """
        opened = self._take(commit)
        if opened is not None:
            self.note_clean(opened)
            with self._lock:
                self._free.append(opened)

    def note_clean(self, opened: ThrowAwayCheckout) -> None:
        """Who had this one has changed nothing in it: it is not put back before it is handed out again."""
        with self._lock:
            self._clean.add(opened.scratch)

    def _take(self, commit: str) -> ThrowAwayCheckout | None:
        """A free one, moved to the commit; None if there is none that can be."""
        with self._lock:
            if not self._free:
                return None
            # One that is there already has the least to write, else the last one used.
            there = [number for number, free in enumerate(self._free) if free.baseline == commit]
            opened = self._free.pop(there[-1] if there else -1)
            is_clean = opened.scratch in self._clean
            self._clean.discard(opened.scratch)
        if is_clean and opened.baseline == commit:
            return opened
        try:
            opened.move_to(commit)
        except (WorkorderError, OSError):
            self._remove(opened.scratch)
            return None
        except BaseException:
            self._remove(opened.scratch)
            raise
        return opened

    def _make(self, commit: str) -> ThrowAwayCheckout:
        with shielded():
            scratch = make_scratch(self._git)
            self._scratches.add(scratch)
        try:
            return ThrowAwayCheckout(self._git, scratch, commit, self._owner)
        except BaseException:
            self._remove(scratch)
            raise

    def _remove(self, scratch: Path) -> None:
        remove_scratch(self._git, scratch)
        self._scratches.discard(scratch)


def _ours(_root: Path) -> None:
    """Nobody else owns a checkout."""


@contextmanager
def checkout(target: Target, *, in_place: bool, sandbox: Sandbox | None = None) -> Iterator[Checkout]:
    """Within the block there is one checkout at the baseline; afterwards nothing of it is left.

    Working in place, the user's checkout is put back to the branch's commit instead, also after an error.

    Args:
        target: the repository and the baseline.
        in_place: whether to work in the user's checkout.
        sandbox: what commands in it run in; None for nothing.

    Raises:
        NotRestored: working in place, the checkout could not be put back.
    """
    with ExitStack() as opening:
        if in_place:
            scratch = opening.enter_context(scratch_directory(target.git))
            yield opening.enter_context(working_in_place(target, scratch))
        else:
            checkouts = opening.enter_context(Checkouts(target.git, sandbox))
            yield opening.enter_context(checkouts.at(target.baseline))
