"""Which commands each check runs, in which order, and where it stops; the executor is a stand-in."""

import json
from pathlib import Path

import pytest

from factory.attempt.failure import FailureClass
from factory.configuration.document import Configuration
from factory.contract.strict_json import JsonValue
from factory.contract.work_order import VERIFY_SCRIPT
from factory.gates.checks.promises import Acceptance, Postconditions
from factory.gates.checks.registry import verification
from factory.gates.checks.verify import CompileAll, Pytest, VerifyScript
from factory.gates.trial import expanded
from factory.gates.verdict.report import PytestReport
from factory.languages.python.language import PYTHON
from factory.languages.starters import starter
from tests.support.repositories import write_files
from tests.support.results import Commands, a_context


@pytest.fixture
def with_script(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "verify.sh").touch()
    return tmp_path


def ran(root: Path, **order: object) -> list[str]:
    commands = Commands()
    context = a_context(root, commands, **order)
    for check in expanded(verification(Configuration()), context):
        assert check.run(context).passed
    return [" ".join(words) for _, words in commands.ran]


def test_a_verify_script_is_all_that_runs(with_script: Path) -> None:
    assert ran(with_script) == ["bash scripts/verify.sh"]


def test_without_one_python_s_own_checks_run(tmp_path: Path) -> None:
    assert ran(tmp_path) == ["python -m compileall -q .", "python -m pytest -q -p no:cacheprovider"]


def test_the_script_of_a_new_project_is_run_command_by_command(tmp_path: Path) -> None:
    text = starter((PYTHON,), ())[VERIFY_SCRIPT]
    for script, commands in (
        (text, ["python -m compileall -q .", "python -m pytest -q -p no:cacheprovider"]),
        (f"{text}\necho more\n", ["bash scripts/verify.sh"]),
    ):
        write_files(tmp_path, {VERIFY_SCRIPT: script, "a.py": ""})
        ran_commands = Commands()
        context = a_context(tmp_path, ran_commands, landing=(VERIFY_SCRIPT, "a.py"))
        assert all(check.run(context).passed for check in expanded(verification(Configuration()), context))
        assert [" ".join(words) for _, words in ran_commands.ran] == commands


def test_an_exempt_work_order_is_only_compiled(with_script: Path) -> None:
    assert ran(with_script, verify_exempt=True) == ["python -m compileall -q ."]


@pytest.mark.parametrize(("exit_code", "note"), [(0, ""), (5, "no tests collected")])
def test_no_tests_pass_and_are_noted(exit_code: int, note: str, tmp_path: Path) -> None:
    result = Pytest().run(a_context(tmp_path, Commands({"pytest": {"exit_code": exit_code}})))

    assert (result.passed, result.note) == (True, note)


def test_what_passes_for_pytest_passes_for_nothing_else(with_script: Path, tmp_path: Path) -> None:
    five = Commands({name: {"exit_code": 5} for name in ("verify", "compileall")})

    assert not VerifyScript().run(a_context(with_script, five)).passed
    assert not CompileAll().run(a_context(tmp_path / "empty", five)).passed


def test_acceptance_commands_run_in_order_until_one_fails(tmp_path: Path) -> None:
    commands = Commands({"acceptance_2": {"exit_code": 1}})
    context = a_context(tmp_path, commands, acceptance_commands=["a 'b c'", "d", "e"])

    result = Acceptance().run(context)

    assert commands.ran == [("acceptance_1", ("a", "b c")), ("acceptance_2", ("d",))]
    assert not result.passed
    assert [command.command for command in result.commands] == ["a 'b c'", "d"]


@pytest.mark.parametrize("command", ["'unclosed", "''", "'' x", "python\0", "echo 'a\0b'"])
def test_a_command_that_cannot_be_executed_is_a_defect_of_the_plan(command: str, tmp_path: Path) -> None:
    commands = Commands()

    result = Acceptance().run(a_context(tmp_path, commands, acceptance_commands=["first", command, "last"]))

    assert result.failure is not None
    assert (result.failure.failure_class, result.failure.where) == (FailureClass.PLAN_DEFECT, command)
    assert [name for name, _ in commands.ran] == ["acceptance_1"]


@pytest.mark.parametrize(
    ("landing", "path", "holds"),
    [
        (("src/app.py",), "src/app.py", True),
        (("src/app.py",), "src", True),
        (("src/app.py",), "src/app", False),
        (("src/app.py",), "src/other.py", False),
        ((), "src/app.py", False),
    ],
)
def test_a_promised_file_must_be_part_of_the_result(
    landing: tuple[str, ...], path: str, holds: bool, tmp_path: Path
) -> None:
    # Given that it exists all the same, as something that a command left behind
    (tmp_path / path).mkdir(parents=True)

    context = a_context(tmp_path, landing=landing, postconditions=[{"kind": "file_exists", "path": path}])

    assert Postconditions().run(context).passed is holds


@pytest.mark.parametrize(
    ("landing", "postconditions", "missing"),
    [
        (("a.py", "b.py"), [], None),
        (("a.py",), [], "b.py"),
        (("a.py",), ["a.py"], None),
        (("b.py",), ["a.py"], "a.py"),
    ],
)
def test_without_postconditions_every_allowed_file_is_promised(
    landing: tuple[str, ...], postconditions: list[str], missing: str | None, tmp_path: Path
) -> None:
    conditions: list[JsonValue] = [{"kind": "file_exists", "path": path} for path in postconditions]
    files: list[JsonValue] = ["a.py", "b.py"]
    context = a_context(tmp_path, landing=landing, allowed_files=files, postconditions=conditions)

    failure = Postconditions().run(context).failure

    assert (failure and failure.where) == missing


def a_session(*passed: str, skipped: tuple[str, ...] = ()) -> PytestReport:
    ends = [*((test, "passed") for test in passed), *((test, "skipped") for test in skipped)]
    facts = {
        "runner": "pytest",
        "ended": True,
        "exit_status": 0,
        "lists": False,
        "collected": len(ends),
        "deselected": 0,
        "outcomes": ends,
        "named": [],
        "canary": "failed",
        "plugins": [],
        "configuration": None,
        "addopts": [],
    }
    return PytestReport.model_validate_json(json.dumps(facts))


@pytest.mark.parametrize(
    ("report", "gone"),
    [
        (a_session("a.py::b", "a.py::c[1]", "a.py::d[2]"), ""),
        (a_session("a.py::b", "a.py::c[1]"), "a.py::d"),
        (a_session("a.py::b", "a.py::c[1]", skipped=("a.py::d[1]", "a.py::d[2]")), "a.py::d"),
        (a_session("new.py::x"), "a.py::b, a.py::c, a.py::d"),
    ],
)
def test_a_test_that_passed_before_must_pass_again(report: PytestReport, gone: str, tmp_path: Path) -> None:
    commands = Commands({"pytest": {"report": report}})

    result = Pytest(kept=("a.py::b", "a.py::c", "a.py::d")).run(a_context(tmp_path, commands))

    assert result.passed is (gone == "")
    assert gone in (result.failure.message if result.failure is not None else "")


@pytest.mark.parametrize(
    ("skips", "passes"), [((), True), ((("a.py::b[1]", "a.py"),), False), ((("other.py::b", ""),), True)]
)
def test_a_test_in_a_file_that_may_be_written_may_go_but_not_be_skipped(
    skips: tuple[tuple[str, str], ...], passes: bool, tmp_path: Path
) -> None:
    report = a_session("a.py::c").model_copy(update={"skips": skips})
    context = a_context(tmp_path, Commands({"pytest": {"report": report}}), allowed_files=["a.py"])

    assert Pytest(kept=("a.py::b", "a.py::c")).run(context).passed is passes
