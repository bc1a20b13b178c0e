"""What must not matter to acceptance commands, and which of it does, by passes that differ in it. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.plans.commands.instability import instabilities
from factory.plans.commands.programs import read_command
from factory.plans.commands.words import UnsplittableCommand

TEST_ORDER: Final = "WORKORDER_TEST_ORDER"
"""The variable that tells the witness of pytest by the value `reversed` to reverse the order of tests."""


@dataclass(frozen=True)
class Difference:
    """Something that is not the same in another pass.

    Attributes:
        name: what it is, such as `time zone`.
        variables: what commands find in their environment.
        advice: how a result is made independent of it.
        moves: whether the directory for temporary files is another one.
        is_user: whether commands run as another user.
    """

    name: str
    variables: tuple[tuple[str, str], ...]
    advice: str
    moves: bool = False
    is_user: bool = False


DIFFERENCES: Final = (
    Difference("hash seed", (("PYTHONHASHSEED", "4242"),), "sort what comes out of a set"),
    Difference("time zone", (("TZ", "Asia/Kathmandu"),), "name the time zone that is computed with"),
    Difference(
        "user's name", (("USER", "somebody"), ("LOGNAME", "somebody")), "take names of users from the caller"
    ),
    Difference("directory for temporary files", (), "ask `tempfile` for places", moves=True),
    Difference("order of tests", ((TEST_ORDER, "reversed"),), "let every test make what it needs"),
)
"""What can differ everywhere."""

OTHER_USER: Final = Difference(
    "user's number", (), "compare no owner and no user with a number that is written down", is_user=True
)
"""What can differ where the sandbox decides whom commands run as."""


def changed_environment(
    environment: Mapping[str, str], differences: Sequence[Difference], temporary: Path
) -> dict[str, str]:
    """The environment of commands with some differences.

    Args:
        environment: of the first pass.
        differences: what is not the same.
        temporary: the other directory for temporary files.
    """
    changed = dict(environment)
    for difference in differences:
        changed.update(difference.variables)
        if difference.moves:
            changed["TMPDIR"] = str(temporary)
    return changed


@dataclass(frozen=True)
class Change:
    """A result that changed.

    Attributes:
        failure: how a command failed that had passed.
        by: the differences each of which does it alone; none if it takes several, or nothing.
        differs: whether it needs any difference at all.
        of: the differences that there were.
    """

    failure: Failure
    by: tuple[Difference, ...] = ()
    differs: bool = True
    of: tuple[Difference, ...] = DIFFERENCES

    @property
    def verdict(self) -> Failure:
        """The failure of the attempt. The plan is at fault if the text of its command is what varies."""
        failure = self.failure
        if failure.failure_class is not FailureClass.MODEL_DEFECT:
            return failure
        named = [difference.name for difference in self.by or self.of]
        several = f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]
        how = f"with another {several}" if self.differs else "once more, where nothing was different"
        message = f"a check that can't be trusted: the command had passed, and fails {how}"
        unstable = _instabilities(failure.where)
        if unstable:
            return Failure.plan_defect(
                Stage.ACCEPTANCE_FAILED,
                message,
                where=failure.where,
                hint=f"the command's own text depends on {', '.join(unstable)}: correct it in the work order",
                exit_code=failure.exit_code,
                excerpt=failure.excerpt,
            )
        advice = "; ".join(difference.advice for difference in self.by)
        return failure.model_copy(
            update={
                "message": message,
                "hint": advice or "let no result depend on time, chance, or what ran before",
            }
        )


def compare(
    failure: Callable[[Sequence[Difference], bool], Failure | None],
    differences: tuple[Difference, ...] = DIFFERENCES,
) -> Change | None:
    """Whether the result of commands that had passed changes, and by what.

    One pass where nothing changes; at most four more than there are differences where something does.

    Args:
        failure: runs the commands from the beginning, with these differences and, if the second argument is
            true, after the verification, which may build what they need; why they failed, or None.
        differences: what can differ here.

    Returns:
        None if the result stays.
    """
    changed = failure(differences, False)
    if changed is None:
        return None
    if changed.failure_class is FailureClass.ENVIRONMENT:
        return Change(changed, of=differences)
    is_prepared = failure((), False) is not None
    if is_prepared:
        alike = failure((), True)
        if alike is not None:
            return Change(alike, differs=False, of=differences)
        changed = failure(differences, True)
        if changed is None:
            return None
    return Change(
        changed,
        tuple(difference for difference in differences if failure((difference,), is_prepared) is not None),
        of=differences,
    )


def _instabilities(command: str) -> list[str]:
    try:
        return sorted({*instabilities(read_command(command))})
    except UnsplittableCommand:
        return []
