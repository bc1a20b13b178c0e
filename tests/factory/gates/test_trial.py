"""What a trial runs and reports, and that its question and its answer could leave the process."""

import pickle
from pathlib import Path
from typing import Any

from factory.attempt.failure import FailureClass, Stage
from factory.configuration.document import Configuration, ConfiguredCheck
from factory.contract.work_order import WorkOrder
from factory.gates.baseline_report import BaselineCheck, BaselineReport
from factory.gates.checks.registry import registry
from factory.gates.trial import PartResult, Trial, TrialResult, try_out
from tests.support.repositories import a_work_order
from tests.support.results import Commands, a_context

ORDER: dict[str, Any] = {"acceptance_commands": ["grep -q x a.txt", "grep -q y a.txt"], "postconditions": []}
CONFIGURATION = Configuration(checks=(ConfiguredCheck(name="tidy", command="tidy --check"),))


def a_trial(known: BaselineReport | None = None, **order: Any) -> Trial:
    return Trial(
        WorkOrder.model_validate(a_work_order(**ORDER, **order)), "1" * 40, registry(CONFIGURATION, known)
    )


def tried(trial: Trial, root: Path, commands: Commands) -> tuple[TrialResult, list[str | PartResult]]:
    heard: list[str | PartResult] = []
    context = a_context(root, commands, landing=("src/app.py",), **ORDER)
    return try_out(trial, context, heard.append, heard.append), heard


def test_all_parts_run_in_order_and_each_is_told_when_it_has_ended(tmp_path: Path) -> None:
    result, heard = tried(a_trial(), tmp_path, Commands({"acceptance_2": {"seconds": 3.5}}))

    assert (result.failed, result.failure) == (None, None)
    assert [part.name for part in result.parts] == ["verify", "acceptance"]
    assert heard == ["verify", result.parts[0], "acceptance", result.parts[1]]
    assert result.slowest_seconds == 3.5


def test_nothing_runs_after_a_failure(tmp_path: Path) -> None:
    commands = Commands({"check_tidy": {"exit_code": 1}})

    result, heard = tried(a_trial(), tmp_path, commands)

    assert result.failed is not None
    assert result.failed.name == "tidy"
    assert result.failure is not None
    assert (result.failure.stage, result.failure.failure_class) == (
        Stage.VERIFY_FAILED,
        FailureClass.MODEL_DEFECT,
    )
    assert heard == ["verify", result.parts[0]]
    assert not [name for name, _ in commands.ran if name.startswith("acceptance")]


def test_what_is_asked_and_what_comes_out_survive_the_way_to_another_process(tmp_path: Path) -> None:
    red = BaselineCheck(name="pytest", gates=True, failure=None, note="", failing_tests=("a",), changed=False)
    trial = a_trial(BaselineReport(tree="2" * 40, identity="", checks=(red,)))
    assert pickle.loads(pickle.dumps(trial)) == trial

    result, _ = tried(trial, tmp_path, Commands({"check_tidy": {"exit_code": 1}}))

    assert TrialResult.model_validate_json(result.model_dump_json()) == result
