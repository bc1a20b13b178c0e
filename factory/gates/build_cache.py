"""Go's build cache: filled by the compiler alone, then shown to each pass read-only, by links in its home.

Code of the repository could put other results into a cache that it can write to, for passes that come after
it. So none runs while the cache is filled: `go vet` and `go test -exec true` compile everything and execute
nothing that they have made. Afterwards it is ours. What a pass compiles itself lies beside the links in that
pass's own home, and is gone with it.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from factory.checkout.leftovers import scratch_directory
from factory.checkout.workspace import GO_CACHE, Checkout
from factory.contract.repo_path import RepoPath
from factory.gates.bench import Bench
from factory.services.resolved import NO_SERVICES

_MANIFEST: Final = RepoPath.parse("go.mod")
_KEEPING: Final = ("bwrap", "bwrap-noproc")
_FILLING: Final = (
    ("go", "vet", "./..."),
    # Neither built programs nor tests are executed, and no result of a test is stored.
    ("go", "test", "-count=1", "-run=^$", "-exec=/bin/true", "./..."),
)


@contextmanager
def filled_build_cache(bench: Bench) -> Iterator[None]:
    """Within the block each pass in the checkout begins with what its present files compile to.

    Nothing is made where no project is a module of Go, where there is a cache already, or where the sandbox
    would not keep commands from changing it: Landlock lets them change who may read a file of their user.

    Args:
        bench: no command has run in its checkout since it was restored; it is restored when the block begins.

    Raises:
        GitError, OSError, Stopped: a checkout can't be restored, or the bench's stop asked for it.
    """
    checkout = bench.checkout
    folders = [folder for folder in (None, *bench.projects) if _is_module(checkout, folder)]
    is_kept = bench.terms is not None and bench.terms.sandbox.level in _KEEPING
    if checkout.go_cache is not None or not is_kept or not folders:
        yield
        return
    with scratch_directory(checkout.git) as scratch:
        checkout.stage([])
        context = replace(bench, services=NO_SERVICES).baseline_context(scratch, exempt=False)
        for folder in folders:
            for words in _FILLING:
                # What does not compile is the business of the checks.
                (context if folder is None else context.within(folder)).execute("go", " ".join(words), words)
        kept = _kept(checkout.home / GO_CACHE, scratch / "go-build")
        checkout.go_cache = kept
        try:
            # Its places are made with the cache in them.
            checkout.restore()
            yield
        finally:
            checkout.go_cache = None


def _is_module(checkout: Checkout, folder: RepoPath | None) -> bool:
    return checkout.tree.exists(_MANIFEST if folder is None else RepoPath(f"{folder}/{_MANIFEST}"))


def _kept(filled: Path, place: Path) -> Path | None:
    """What was filled, moved to a place of ours that everybody may read; None if nothing was."""
    if not filled.is_dir():
        return None
    shutil.move(filled, place)
    for folder, _, names in os.walk(place):
        for path in (folder, *(f"{folder}/{name}" for name in names)):
            os.chown(path, os.geteuid(), os.getegid(), follow_symlinks=False)
        Path(folder).chmod(0o755)
        for name in names:
            Path(folder, name).chmod(0o444)
    return place
