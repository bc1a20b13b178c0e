"""The default verification of a tree's languages: which commands run, and whose fault their ends are."""

from pathlib import Path

import pytest

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.configuration.document import Configuration
from factory.gates.baseline_report import BaselineCheck, BaselineReport
from factory.gates.check import CheckResult
from factory.gates.checks.registry import verification
from factory.gates.trial import expanded
from tests.support.repositories import write_files
from tests.support.results import Commands, a_context

PACKAGE = '{"type": "module"}'
TESTED = {
    "package.json": PACKAGE,
    "slug.js": "export const a = 1;\n",
    "slug.test.js": "import './slug.js';\n",
}


def results(
    root: Path,
    files: dict[str, str],
    commands: Commands,
    known: BaselineReport | None = None,
    **order: object,
) -> dict[str, CheckResult]:
    """What each check of the verification found of files that land."""
    write_files(root, files)
    context = a_context(root, commands, landing=tuple(files), **order)
    checks = expanded(verification(Configuration(), known), context)
    return {check.name: check.run(context) for check in checks}


def ran(commands: Commands) -> list[str]:
    return [" ".join(words) for _, words in commands.ran]


def test_a_language_is_verified_by_its_own_commands(tmp_path: Path) -> None:
    commands = Commands()

    made = results(tmp_path, TESTED, commands)

    assert ran(commands) == ["node --test"]
    assert made["node --test"].passed
    assert made["compileall"].note == made["pytest"].note == "skipped: the repository holds no Python"


def test_a_repository_may_hold_several(tmp_path: Path) -> None:
    commands = Commands()

    results(tmp_path, {**TESTED, "tool.py": ""}, commands)

    assert ran(commands) == [
        "python -m compileall -q .",
        "python -m pytest -q -p no:cacheprovider",
        "node --test",
    ]


@pytest.mark.parametrize("order", [{"verify_exempt": True}, {}], ids=["exempt", "script"])
def test_a_script_or_an_exemption_leaves_them_out(order: dict[str, object], tmp_path: Path) -> None:
    commands = Commands()
    script = {} if order else {"scripts/verify.sh": "true\n"}

    results(tmp_path, {**TESTED, **script}, commands, **order)

    assert ran(commands) == ([] if order else ["bash scripts/verify.sh"])


def test_sources_that_nothing_verifies_are_named(tmp_path: Path) -> None:
    commands = Commands()

    made = results(tmp_path, {"page.js": "let a = 1;\n"}, commands)

    assert ran(commands) == []
    note = "skipped: no tests and no project of it that commands verify"
    assert made["TypeScript/JavaScript"] == CheckResult(name="TypeScript/JavaScript", note=note)


def test_a_failure_is_the_model_s_and_a_missing_program_the_machine_s(tmp_path: Path) -> None:
    failed = results(tmp_path, TESTED, Commands({"node___test": {"exit_code": 1}}))["node --test"].failure
    missing = Commands({"node___test": {"exit_code": None, "not_started": "no such file or directory"}})
    absent = results(tmp_path, TESTED, missing)["node --test"].failure

    assert failed is not None
    assert (failed.failure_class, failed.stage) == (FailureClass.MODEL_DEFECT, Stage.VERIFY_FAILED)
    assert absent is not None
    assert absent.failure_class is FailureClass.ENVIRONMENT
    assert "the program node can't be started" in absent.message


def test_what_failed_before_is_only_reported(tmp_path: Path) -> None:
    failure = Failure.model_defect(Stage.VERIFY_FAILED, "it failed")
    before = BaselineCheck(
        name="node --test", gates=True, failure=failure, note="", failing_tests=None, changed=False
    )
    known = BaselineReport(tree="", identity="", checks=(before,))

    made = results(tmp_path, TESTED, Commands({"node___test": {"exit_code": 1}}), known)["node --test"]

    assert made.failure is not None
    assert made.passed
    assert made.note == "only reported: it fails on the baseline, and its failures can't be told apart"
