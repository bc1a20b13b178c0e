"""What comes before a run or a build: what a killed one left in the repository is finished or undone."""

import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from factory.checkout.in_place import restore_in_place
from factory.checkout.leftovers import remove_leftovers
from factory.repository.recovery import recover
from factory.repository.target import state_folder
from factory.runs.inputs import Ports
from factory.runs.record.documents import complete_killed_runs
from factory.runs.record.model import RunDocument
from factory.system.files.tree import remove_unfinished
from factory.system.git.client import Git
from factory.system.git.commits import landing_of_run
from factory.system.removal import remove_tree
from factory.system.terminal.console import visible
from factory.trials.memory import TRIALS_FOLDER, remove_unfinished_trials

_OUR_FOLDER: Final = re.compile(r"[0-9a-f]{16}|baseline")


def clean_up(git: Git, out: Path, ledger: Path | None, ports: Ports, *, in_place: bool) -> None:
    """Finish or undo what killed runs left. Call it with the repository's lock held.

    Args:
        git: the repository.
        out: the directory with the run folders.
        ledger: the directory with the stored answers, if that is known.
        ports: for the time, and for telling the user.
        in_place: whether the checkout may be put back if a killed run worked in it.

    Raises:
        NotRestored: what a killed run left can't be told from the user's own work.
    """
    for folder in (out, *([ledger] if ledger else []), *_our_folders(out)):
        remove_unfinished(folder)
    remove_unfinished_trials(out / TRIALS_FOLDER)
    for message in (recover(git), restore_in_place(git, in_place=in_place)):
        if message:
            ports.progress(message)
    remove_leftovers(git)
    remove_tree(indexes_folder(git))
    complete_killed_runs(out, visible(str(git.common_dir)), ports.clock, partial(landed_by, git))


def indexes_folder(git: Git) -> Path:
    """Where a build keeps its indexes while it goes on."""
    return state_folder(git) / "indexes"


def landed_by(git: Git, run: RunDocument) -> str | None:
    """The commit of a run, if it landed."""
    ref = f"refs/heads/{run.branch}"
    return landing_of_run(git, ref, run.run_id) if git.commit_id(ref) else None


def _our_folders(out: Path) -> Iterator[Path]:
    """The run folders and all that is in them; whatever else the user keeps there is not looked at."""
    for top in out.glob("*"):
        if _OUR_FOLDER.fullmatch(top.name):
            for folder, _, _ in os.walk(top):
                yield Path(folder)
