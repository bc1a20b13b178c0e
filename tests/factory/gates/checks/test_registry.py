"""The registry: order, limits of its own, checks that only report, and checks that raise."""

from dataclasses import replace
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import FailureClass, Stage
from factory.configuration.document import Configuration, read_configuration
from factory.contract.errors import WorkorderError
from factory.gates.check import Check, CheckContext, CheckFamily, CheckResult
from factory.gates.checks.registry import ReportOnly, gating_commands, registry, verification
from factory.gates.trial import expanded, run_check
from factory.report.show import show_run
from factory.system.process.signals import Interrupted
from tests.support.repositories import VERIFY_PASSES, make_repo
from tests.support.results import Commands, a_context
from tests.support.runs import Scene, read_object

CONFIGURED = read_configuration(
    b"""
    checks = [
        {name = "lint", command = "ruff check ."},
        {name = "style", command = "style 'a b'", gates = false, timeout_seconds = 1.5},
        {name = "types", command = "mypy", timeout_seconds = 7},
    ]
    """,
    None,
)


class Raises:
    """A check that breaks off."""

    name = "raises"

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def run(self, context: CheckContext) -> CheckResult:
        raise self._error


def configured() -> list[Check]:
    """The checks of the configuration."""
    return [check for check in verification(CONFIGURED)[4:] if not isinstance(check, CheckFamily)]


def test_configured_commands_follow_the_built_in_verification(tmp_path: Path) -> None:
    verify, acceptance = registry(CONFIGURED)

    assert (verify.name, acceptance.name) == ("verify", "acceptance")
    assert [check.name for check in expanded(verify.checks, a_context(tmp_path))] == [
        "unusual code", "verify.sh", "compileall", "pytest", "lint", "style", "types",
    ]  # fmt: skip
    assert [check.name for check in expanded(acceptance.checks, a_context(tmp_path))] == [
        "postconditions",
        "acceptance",
    ]
    assert gating_commands((verify, acceptance)) == ("ruff check .", "mypy")
    assert gating_commands(registry(Configuration())) == ()


def test_each_command_has_its_own_time_limit(tmp_path: Path) -> None:
    commands = Commands()

    for check in configured():
        assert check.run(a_context(tmp_path, commands)).passed

    assert commands.ran == [
        ("check_lint", ("ruff", "check", ".")),
        ("check_style", ("style", "a b")),
        ("check_types", ("mypy",)),
    ]
    assert commands.limits == [None, 1.5, 7.0]


def test_an_exempt_work_order_is_not_judged_by_configured_commands(tmp_path: Path) -> None:
    commands = Commands()

    context = a_context(tmp_path, commands, verify_exempt=True)

    for check in expanded(verification(CONFIGURED), context):
        assert check.run(context).passed

    assert [name for name, _ in commands.ran] == ["compileall"]


def test_a_report_only_failure_is_recorded_and_passes(tmp_path: Path) -> None:
    lint, style, _ = configured()
    commands = Commands({"check_lint": {"exit_code": 1}, "check_style": {"exit_code": 1}})

    gating, reporting = (check.run(a_context(tmp_path, commands)) for check in (lint, style))

    assert (gating.passed, gating.gates) == (False, True)
    assert (reporting.passed, reporting.gates, reporting.note) == (
        True,
        False,
        "only reported, as configured",
    )
    assert reporting.failure is not None
    assert reporting.failure.message == "the command returned 1"


def test_damage_counts_also_if_the_check_only_reports(tmp_path: Path) -> None:
    style = configured()[1]

    result = style.run(a_context(tmp_path, Commands({"check_style": {"changed": ("src/app.py",)}})))

    assert not result.passed


@pytest.mark.parametrize(
    ("error", "message", "where"),
    [
        (OSError(28, "No space left on device"), "OSError: [Errno 28] No space left on device", ""),
        (KeyError("x"), "KeyError: 'x'", ""),
        (WorkorderError("is full", where="/disk", hint="empty it"), "WorkorderError: is full", "/disk"),
        (ValueError("\x1b[31m\udcff" + "x" * 600), r"ValueError: \x1b[31m\udcff" + "x" * 494, ""),
    ],
)
def test_a_check_that_raises_has_failed(error: Exception, message: str, where: str, tmp_path: Path) -> None:
    result = run_check(Raises(error), a_context(tmp_path), Stage.ACCEPTANCE_FAILED)

    assert (result.name, result.passed) == ("raises", False)
    assert result.failure is not None
    assert result.failure.message == f"the check raises broke off: {message}"
    assert (result.failure.failure_class, result.failure.stage, result.failure.where) == (
        FailureClass.ENVIRONMENT,
        Stage.ACCEPTANCE_FAILED,
        where,
    )


def test_a_report_only_check_that_raises_is_only_reported(tmp_path: Path) -> None:
    result = ReportOnly(Raises(OSError("gone")), "told").run(a_context(tmp_path))

    assert (result.passed, result.gates, result.note) == (True, False, "told")


@pytest.mark.parametrize("interruption", [Interrupted(2), KeyboardInterrupt(), SystemExit(1)])
def test_an_interruption_passes_through(interruption: BaseException, tmp_path: Path) -> None:
    with pytest.raises(type(interruption)):
        run_check(Raises(interruption), a_context(tmp_path), Stage.VERIFY_FAILED)


def test_a_baseline_promises_nothing(tmp_path: Path) -> None:
    context = replace(a_context(tmp_path, acceptance_commands=["false"]), order=None)

    for check in expanded(registry(Configuration())[1].checks, context):
        assert check.run(context) == CheckResult(name=check.name)


# In a run


def test_what_only_reports_is_shown_and_lands(tmp_path: Path) -> None:
    toml = "checks = [{name='style', command='python style.py', gates=false}]\n"
    style = "raise SystemExit('two spaces')\n"
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "workorder.toml": toml, "style.py": style})
    scene = Scene(repo)

    finished = scene.run()

    assert finished.ending.exit_code == ExitCode.PASS
    assert finished.folder is not None
    result = read_object(finished.folder / "attempt_1" / "verify_result.json")
    assert result["passed"] is True
    assert "PO  reports  style (only reported, as configured)" in show_run(finished.folder)
    assert (finished.folder / "attempt_1" / "check_style.output.txt").read_text() == "two spaces\n"
    assert "attempt 1: style reports: the command returned 1 (python style.py)" in scene.progress


def test_a_command_that_takes_too_long_fails_by_its_own_limit(tmp_path: Path) -> None:
    # Slow on what the attempt writes only: the base passes.
    toml = "checks = [{name='slow', command='sh slow.sh', timeout_seconds=1}]\n"
    files = {"workorder.toml": toml, "slow.sh": "test ! -e src/app.py || exec sleep 60\n"}
    scene = Scene(make_repo(tmp_path / "repo", {**VERIFY_PASSES, **files}))

    finished = scene.run(max_attempts=1)

    assert finished.ending.failure is not None
    assert finished.ending.failure.description == "the command did not end within its time limit (sh slow.sh)"


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("no-such-linter .", "install it, or put it on PATH"),
        ("./lint.sh", "name its interpreter in the configuration, such as `bash ./lint.sh`"),
    ],
)
def test_a_tool_that_cannot_be_started_ends_the_run(command: str, hint: str, tmp_path: Path) -> None:
    toml = f"checks = [{{name='lint', command='{command}'}}]\n"
    files = {**VERIFY_PASSES, "workorder.toml": toml, "lint.sh": "#!/bin/sh\n"}

    finished = Scene(make_repo(tmp_path / "repo", files)).run()

    assert (finished.ending.exit_code, finished.ending.hint) == (ExitCode.ENVIRONMENT, hint)
