"""What a button does: what a command does for the same build, and what it says then."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.builds.state.file import require_state
from factory.builds.state.plan_record import read_plan_record
from factory.commands.people.hint import say
from factory.commands.people.said import said_of
from factory.commands.people.skip import attempt_after_all, leave_out, require_attempted
from factory.contract.errors import WorkorderError
from factory.contract.identity import plan_hash
from factory.people.approvals import approve
from factory.people.hints import add_hint
from factory.runs.record.tried import Named
from factory.system.git.client import Git
from factory.system.process.holder import end_holder


@dataclass(frozen=True)
class Act:
    """A button that was pressed.

    Attributes:
        out: the directory of the build.
        order: the id of the work order; empty if it is about the whole.
        text: what was written beside it.
        plan: the hash of the plan that was shown.
    """

    out: Path
    order: str
    text: str
    plan: str

    @property
    def named(self) -> Named:
        """The work order of this build; what a command takes beside an id, such as a folder, is none here."""
        return Named(self.order, self.out)


def do(name: str, act: Act) -> str:
    """Do it; what there is to say of it.

    Raises:
        WorkorderError: there is no such act, or it can't be done; nothing was changed.
    """
    known = _ACTS.get(name)
    if known is None:
        raise WorkorderError(f"there is no {name!r}", where="act")
    return known(act)


def _hint(act: Act) -> str:
    hint = say(act.named, act.text)
    return f"{act.order}: attempt {hint.after + 1} is told what {hint.author} says; build again"


def _retry(act: Act) -> str:
    asked = said_of(act.named)
    require_attempted(act.named)
    add_hint(act.out, asked)
    return f"{act.order}: gets attempt {asked.after + 1}, as {asked.author} says; build again to make it"


def _skip(act: Act) -> str:
    return leave_out(act.named, act.text)


def _unskip(act: Act) -> str:
    return attempt_after_all(act.named)


def _approve(act: Act) -> str:
    record, state = read_plan_record(act.out), require_state(act.out)
    if record is None or plan_hash(record.plan) != act.plan:
        raise WorkorderError(
            "the plan is not the one that was shown any more, or is not recorded",
            where=str(act.out),
            hint="look at it again; or approve it with `planner approve`",
        )
    git_dir = Path(state.repository)
    if git_dir.name != ".git":
        raise WorkorderError(
            "the build does not tell where the repository's files are",
            where=str(git_dir),
            hint="planner approve PLAN --repo REPO",
        )
    approval = approve(Git.open(git_dir.parent), record.plan)
    if not approval.orders:
        return "all of the plan is approved already"
    return f"approved: {', '.join(order.id for order in approval.orders)}, by the tag {approval.tag}"


def _stop(act: Act) -> str:
    number = end_holder(act.out / "lock", "factory build")
    if number is None:
        raise WorkorderError("no build is running here, or it can't be told which process it is")
    return (
        f"process {number} was asked to stop; what is under way ends, and the next build goes on from there"
    )


_ACTS: Final[Mapping[str, Callable[[Act], str]]] = {
    "hint": _hint,
    "retry": _retry,
    "skip": _skip,
    "unskip": _unskip,
    "approve": _approve,
    "stop": _stop,
}
