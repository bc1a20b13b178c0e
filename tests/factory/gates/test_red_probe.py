"""Acceptance commands must fail before the work is done, for a reason that the work order can change."""

import json
from pathlib import Path

import pytest

from factory.failure import FailureClass
from factory.gates.red_probe import defect, probe
from tests.factory.gates.results import Commands, a_context
from tests.support.answers import a_proposal
from tests.support.repositories import make_repo
from tests.support.runs import Scene, read_object


def probed(scene: Scene) -> dict[str, str]:
    """The colour of each command."""
    (path,) = scene.out.glob("*/probe.json")
    commands = json.loads(path.read_text())["commands"]
    return {command["command"]: command["colour"] for command in commands}


def scene(tmp_path: Path, *commands: str, **order: object) -> Scene:
    return Scene(make_repo(tmp_path / "repo"), acceptance_commands=list(commands), **order)  # type: ignore[arg-type]


def test_a_command_that_fails_before_and_passes_after_is_a_proof(tmp_path: Path) -> None:
    one = scene(tmp_path, "test -f src/app.py", "python src/app.py")

    assert one.run(red_probe=True).ending.exit_code == 0

    assert probed(one) == {"test -f src/app.py": "red", "python src/app.py": "red"}


@pytest.mark.parametrize(
    ("command", "colour"),
    [
        ("true", "green"),
        ("test -f README.md", "green"),
        ("no-such-program x", "impossible"),
        ("sh -c 'exit 127'", "impossible"),
        ("./README.md", "impossible"),
        ("python -m no_such_module_anywhere", "impossible"),
    ],
)
def test_what_is_no_proof_is_a_defect_of_the_plan_and_costs_nothing(
    tmp_path: Path, command: str, colour: str
) -> None:
    one = scene(tmp_path, "test -f src/app.py", command)

    ending = one.run(red_probe=True).ending

    assert ending.exit_code == 4
    assert command in ending.message
    assert one.asked == 0
    assert probed(one)[command] == colour


def test_a_command_that_never_ends_is_a_defect(tmp_path: Path) -> None:
    one = scene(tmp_path, "sleep 60")

    ending = one.run(red_probe=True, timeout_seconds=1.0).ending

    assert (ending.exit_code, one.asked) == (4, 0)
    assert "time limit" in ending.message


def test_a_script_that_the_work_order_writes_may_be_missing(tmp_path: Path) -> None:
    answer = a_proposal({"check.sh": "exit 0\n"})
    one = Scene(
        make_repo(tmp_path / "repo"),
        [answer],
        allowed_files=["check.sh"],
        acceptance_commands=["bash check.sh"],
    )

    assert one.run(red_probe=True).ending.exit_code == 0


def test_an_exempt_command_may_pass_before_and_the_reason_is_kept(tmp_path: Path) -> None:
    exempt = [{"command": "test -f README.md", "reason": "it must stay"}]
    one = scene(tmp_path, "test -f src/app.py", "test -f README.md", red_exempt=exempt)

    assert one.run(red_probe=True).ending.exit_code == 0

    (path,) = one.out.glob("*/probe.json")
    assert read_object(path)["commands"][1]["reason"] == "it must stay"  # type: ignore[index,call-overload]


def test_what_a_probe_left_behind_is_not_there_in_the_attempt(tmp_path: Path) -> None:
    command = "sh -c 'test ! -e left && test -f src/app.py || { touch left; exit 1; }'"
    one = scene(tmp_path, command)

    assert one.run(red_probe=True).ending.exit_code == 0


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ({"killed_outside": True}, "killed from outside"),
        ({"sandbox_failed": "no room"}, "could not be entered: no room"),
    ],
)
def test_what_the_machine_could_not_run_says_nothing_of_the_plan(
    tmp_path: Path, end: dict[str, object], message: str
) -> None:
    ended = Commands({"acceptance_1": {"exit_code": None, **end}})
    context = a_context(tmp_path, ended, acceptance_commands=["python src/app.py"])

    failure = defect(probe(context.order, context))

    assert failure is not None
    assert failure.failure_class is FailureClass.ENVIRONMENT
    assert message in failure.message
