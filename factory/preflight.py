"""What comes before a run or a build: what a killed one left in the repository is finished or undone."""

from functools import partial
from pathlib import Path

from factory.contract.strict_json import JsonObject
from factory.execution import Outside
from factory.landing import recover
from factory.leftovers import remove_leftovers
from factory.removal import remove_tree
from factory.repository import landed_commit, state_folder
from factory.run_record import complete_killed_runs
from factory.system.console import visible
from factory.system.git import Git
from factory.working_in_place import restore_in_place


def clean_up(git: Git, out: Path, world: Outside, *, in_place: bool) -> None:
    """Finish or undo what killed runs left. Call it with the repository's lock held.

    Args:
        git: the repository.
        out: the directory with the run folders.
        world: for the time, and for telling the user.
        in_place: whether the checkout may be put back if a killed run worked in it.

    Raises:
        NotRestored: what a killed run left can't be told from the user's own work.
    """
    for message in (recover(git), restore_in_place(git, in_place=in_place)):
        if message:
            world.progress(message)
    remove_leftovers(git)
    remove_tree(indexes_folder(git))
    complete_killed_runs(out, visible(str(git.common_dir)), world.clock, partial(landed_by, git))


def indexes_folder(git: Git) -> Path:
    """Where a build keeps its indexes while it goes on."""
    return state_folder(git) / "indexes"


def landed_by(git: Git, facts: JsonObject) -> str | None:
    """The commit of the run with these facts, if it landed."""
    ref = f"refs/heads/{facts.get('branch')}"
    trailers = {"Run-Id": str(facts.get("run_id")), "Contract": str(facts.get("contract"))}
    return landed_commit(git, ref, trailers) if git.commit_id(ref) else None
