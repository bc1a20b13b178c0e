"""Where the sandbox has no `/tmp`, commands that hand on a file there are told before anybody is asked."""

from pathlib import Path

import pytest

from factory.attempt.failure import FailureClass, Stage
from factory.contract.work_order import WorkOrder
from factory.gates.judge import judge
from factory.gates.temporary_files import lost_between_commands
from tests.support.repositories import a_work_order
from tests.support.results import a_context, a_result

WRITES, READS = "python tally.py --out=/tmp/a/out.json", "grep -q total '/tmp/a/out.json'"
DENIED = "PermissionError: [Errno 13] Permission denied: '/tmp/a/out.json'"


@pytest.mark.parametrize(
    ("commands", "level", "refused"),
    [
        ([WRITES, READS], "landlock", True),
        ([WRITES, READS], "bwrap", False),
        ([WRITES, "python -c \"assert open('/tmp/a/out.json').read()\""], "landlock", True),
        ([WRITES], "landlock", False),
        ([WRITES, "grep -q total /tmp/a/other.json"], "landlock", False),
        (["python a.py src/tmp/a.txt", "grep -q a src/tmp/a.txt"], "landlock", False),
    ],
)
def test_a_file_in_tmp_that_commands_hand_on(commands: list[str], level: str, refused: bool) -> None:
    order = WorkOrder.model_validate(a_work_order(acceptance_commands=commands))

    failure = lost_between_commands(order, level)

    assert (failure is not None) is refused
    if failure is not None:
        assert failure.failure_class is FailureClass.ENVIRONMENT
        assert "at level landlock commands have no /tmp" in failure.message


@pytest.mark.parametrize(
    ("command", "level", "printed", "blamed"),
    [
        (WRITES, "landlock", DENIED, FailureClass.ENVIRONMENT),
        (WRITES, "bwrap", DENIED, FailureClass.MODEL_DEFECT),
        (WRITES, "landlock", "AssertionError", FailureClass.MODEL_DEFECT),
        ("python tally.py", "landlock", DENIED, FailureClass.MODEL_DEFECT),
    ],
)
def test_whose_fault_a_refused_file_is(
    command: str, level: str, printed: str, blamed: FailureClass, tmp_path: Path
) -> None:
    result = a_result(*command.split(), exit_code=1, excerpt=f"Traceback\n{printed}\n", sandbox=level)

    failure = judge(result, Stage.ACCEPTANCE_FAILED, a_context(tmp_path))

    assert failure is not None
    assert failure.failure_class is blamed
