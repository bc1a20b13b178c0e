"""What a trial has found is remembered under its name; what could come out otherwise is not."""

import shutil
from pathlib import Path

import pytest

from factory.attempt.failure import Failure, Stage
from factory.gates.check import CheckResult, CommandResult, Probed
from factory.gates.trial import PartResult, TrialResult
from factory.llm.port import Request
from factory.trials.lasting import last, probes_last
from factory.trials.local import LocalTrials
from factory.trials.memory import RememberedTrials, remove_unfinished_trials
from factory.trials.request import TrialAnswer
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene
from tests.support.repositories import git, make_repo

ENDED = CommandResult(
    command="true",
    argv=("true",),
    exit_code=0,
    signal=None,
    timed_out=False,
    not_started=None,
    seconds=0.1,
    output_file="a.output.txt",
    output_bytes=0,
    excerpt="",
    leftovers=0,
    changed=(),
)


def of(*commands: CommandResult, failure: Failure | None = None) -> list[TrialResult]:
    check = CheckResult(name="acceptance", failure=failure, commands=commands)
    return [TrialResult(parts=(PartResult(name="acceptance", checks=(check,)),))]


@pytest.mark.parametrize(
    "how",
    [
        {"timed_out": True, "exit_code": None},
        {"killed": "memory", "exit_code": None},
        {"killed_outside": True, "exit_code": None},
        {"supervisor_killed": True},
        {"sandbox_failed": "no namespaces", "exit_code": None},
        {"signal": 9, "exit_code": None},
    ],
)
def test_what_a_limit_or_the_machine_ended_could_end_otherwise(how: dict[str, object]) -> None:
    ended = ENDED.model_copy(update=how)

    assert not last(of(ENDED, ended))
    assert not probes_last([Probed(command="true", colour="red", result=ended)])


def test_a_failure_lasts_unless_it_is_the_machines() -> None:
    wrong = Failure.model_defect(Stage.ACCEPTANCE_FAILED, "it returned 1")
    full = Failure.environment(Stage.ACCEPTANCE_FAILED, "the disk is full")

    assert last(of(ENDED, failure=wrong))
    assert not last(of(ENDED, failure=full))
    assert not probes_last([Probed(command="nope", colour="impossible", reason="it is not installed")])


class Counted(BuildScene):
    """One work order whose acceptance command writes down that it runs."""

    def __init__(self, folder: Path) -> None:
        repo = make_repo(folder / "repo")
        self.log = folder / "log"
        self.start = git(repo, "rev-parse", "HEAD")
        command = f"sh -c 'echo x >> {self.log}; echo said; test -f a.txt'"
        order = {"allowed_files": ["a.txt"], "acceptance_commands": [command]}
        super().__init__(repo, [order], self._reply)
        self.trials = RememberedTrials(LocalTrials(), self.out / "trials")

    @staticmethod
    def _reply(_order: str, _attempt: int, _request: Request) -> str:
        return a_proposal({"a.txt": "a\n"})

    def again(self, trials: RememberedTrials | None = None) -> int:
        """Build from the same start once more; how often the command ran."""
        self.log.unlink(missing_ok=True)
        git(self.repo, "reset", "--quiet", "--hard", self.start)
        built = self.build(trials=trials or self.trials, rebuild_state=True, red_probe=True, second_pass=True)
        assert built.ended.exit_code == 0, built.ended
        return len(self.log.read_text().split()) if self.log.exists() else 0


def test_a_build_that_begins_again_repeats_no_trial(tmp_path: Path) -> None:
    scene = Counted(tmp_path)
    # The probe, the attempt, the second pass.
    assert scene.again() == 3
    trees = scene.trees()

    assert scene.again() == 0

    assert scene.trees() == trees
    (said,) = scene.out.glob("*/attempt_1/acceptance_1.output.txt")
    assert said.read_text() == "said\n"
    (events,) = [path for path in scene.out.glob("*/events.jsonl") if path.parent != scene.out]
    assert '"remembered": true' in events.read_text()
    assert scene.again(RememberedTrials(LocalTrials(), scene.trials.folder, reads=False)) == 3


def test_half_a_memory_is_none(tmp_path: Path) -> None:
    scene = Counted(tmp_path)
    scene.again()
    verdicts = sorted(scene.trials.folder.glob("*/verdict.json"))
    assert len(verdicts) == 3
    verdicts[0].write_bytes(verdicts[0].read_bytes()[:-20])
    verdicts[1].write_text(verdicts[1].read_text().replace('"is_lasting": true', '"is_lasting": false'))
    (evidence, *_) = (verdicts[2].parent / "evidence").iterdir()
    evidence.write_text("something else")

    assert scene.again() == 3
    assert scene.again() == 0
    shutil.rmtree(scene.trials.folder)
    assert scene.again() == 3


def test_what_a_killed_build_was_writing_goes(tmp_path: Path) -> None:
    (tmp_path / ".making-1" / "evidence").mkdir(parents=True)
    (tmp_path / "name").mkdir()

    remove_unfinished_trials(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["name"]


def test_an_answer_is_the_same_after_its_way_as_text() -> None:
    answer = TrialAnswer(results=tuple(of(ENDED)), failing_tests=("t.py::a",), executed={})

    assert TrialAnswer.model_validate_json(answer.model_dump_json()) == answer
