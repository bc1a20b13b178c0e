"""`factory show` and the last lines of a run, whole, as a person reads them."""

import json
import re
from pathlib import Path

import pytest

from factory.builds.state.file import require_state
from factory.contract.errors import WorkorderError
from factory.report.endings import render_ending
from factory.report.show import show_run
from factory.runs.run import Finished
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.policy import MIB, Resources
from factory.system.sandbox.port import Terms
from factory.system.terminal.console import visible
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene, writes
from tests.support.golden import assert_golden
from tests.support.repositories import make_repo
from tests.support.runs import Scene

PASSES = "python -c \"exit('bad' in open('src/app.py').read())\""
TEST = "from src.app import f\n\n\ndef test_f():\n    assert f(2) == 4\n"
BEFORE = "def f(x):\n    return x + x\n"
WRONG, RIGHT = "def f(x):\n    return x + 1\n", "def f(x):\n    return 2 * x\n"


def anywhere(text: str, finished: Finished, tmp_path: Path) -> str:
    """`text` without what differs from run to run."""
    assert finished.folder is not None
    text = text.replace(str(tmp_path), "<tmp>").replace(finished.folder.name, "<run>")
    text = re.sub(r"\b[0-9a-f]{12}\b", "<commit>", re.sub(r"(?<=commands found ).+", "<environment>", text))
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "<date>", text)
    return re.sub(r"\b\d+\.\d+ s\b", "<time> s", text) + "\n"


def shown(finished: Finished, tmp_path: Path) -> str:
    assert finished.folder is not None
    end = render_ending(finished.ending, finished.folder)
    return anywhere(
        f"{show_run(finished.folder)}\n\n--- at the end of the run ---\n{end}", finished, tmp_path
    )


def remarking(proposal: str, *remarks: str) -> str:
    return json.dumps(json.loads(proposal) | {"remarks": remarks})


def test_a_run_that_landed_after_a_failure(tmp_path: Path) -> None:
    files = {"tests/test_app.py": TEST, "conftest.py": "", "src/app.py": BEFORE}
    repo = make_repo(tmp_path / "repo", files)
    bases = {"src/app.py": BEFORE}
    answers = [
        remarking(a_proposal({"src/app.py": WRONG}, bases=bases), "f(2) == 4 is\n\x1b[31mdoubtful", "Twice."),
        remarking(a_proposal({"src/app.py": RIGHT}, bases=bases, summary="Doubled\nit."), "Twice."),
    ]

    finished = Scene(repo, answers, acceptance_commands=["true", "python -c pass"]).run()

    assert_golden("show_landed.txt", shown(finished, tmp_path))


def test_a_run_that_spent_its_attempts(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")

    finished = Scene(repo, ["prose", a_proposal({"src/app.py": "bad"})], acceptance_commands=[PASSES]).run()

    assert_golden("show_failed.txt", shown(finished, tmp_path))


def test_a_limit_is_named_in_the_result_the_brief_the_prompt_and_here(tmp_path: Path) -> None:
    large = "python -c \"open('large', 'wb').write(bytes(2**21))\""
    scene = Scene(make_repo(tmp_path / "repo"), [a_proposal()] * 2, acceptance_commands=[large])

    finished = scene.run(terms=Terms(Unconfined(), resources=Resources(file_bytes=MIB)))

    message = "the command was killed because it reached a limit: 1 MiB for a single file"
    assert finished.folder is not None
    attempt = finished.folder / "attempt_1"
    (result,) = json.loads((attempt / "acceptance_result.json").read_text())["checks"][-1]["commands"]
    assert (result["killed"], result["exit_code"], result["signal"]) == ("file size", None, None)
    assert json.loads((attempt / "failure_brief.json").read_text())["message"] == message
    assert message in (finished.folder / "attempt_2/se_prompt.txt").read_text()
    assert re.search(r"killed: file size  [0-9.]+ s  python -c", show_run(finished.folder))


def test_a_run_that_was_stopped(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")

    finished = Scene(repo, acceptance_commands=["no-such-linter src"]).run()

    assert_golden("show_stopped.txt", shown(finished, tmp_path))


def test_a_run_that_another_run_had_done(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    scene = Scene(repo)
    scene.run()

    finished = scene.run()

    assert scene.asked == 1
    assert_golden("show_already_landed.txt", shown(finished, tmp_path))


def test_a_run_that_was_killed(tmp_path: Path) -> None:
    finished = Scene(make_repo(tmp_path / "repo")).run()
    assert finished.folder is not None
    (finished.folder / "run_summary.json").unlink()
    run = finished.folder / "run.json"
    run.write_text(json.dumps({**json.loads(run.read_text()), "ended": None, "outcome": None}))

    text = show_run(finished.folder)

    assert "ended not yet, or it was killed" in text
    assert text.endswith("the run has no summary: it is going on, or it was killed; the next run writes it")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "run.json").unlink(), "holds no run.json"),
        (lambda folder: (folder / "run.json").write_text("{"), "not valid JSON"),
        (lambda folder: (folder / "run.json").write_text("[]"), "is not a JSON object"),
        (lambda folder: (folder / "attempt_1/verify_result.json").write_text("\xff"), "not valid JSON"),
        (lambda folder: (folder / "attempt_1/llm_usage.json").write_text("null"), "is not a JSON object"),
        (
            lambda folder: (folder / "run_summary.json").write_bytes(b" " * 10_000_001),
            "is larger than 10,000,000 bytes",
        ),
    ],
)
def test_a_damaged_folder_is_told_and_no_crash(damage: object, message: str, tmp_path: Path) -> None:
    finished = Scene(make_repo(tmp_path / "repo")).run()
    assert finished.folder is not None
    assert callable(damage)
    damage(finished.folder)

    with pytest.raises(WorkorderError) as caught:
        show_run(finished.folder)

    assert message in str(caught.value)


def test_a_folder_with_values_of_other_types_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    finished = Scene(make_repo(tmp_path / "repo")).run()
    assert finished.folder is not None
    for name in ("llm_usage", "proposed_writes", "write_result", "verify_result", "acceptance_result"):
        odd = {
            key: [1, None, {"x": 2}] for key in ("usage", "summary", "written", "checks", "commands", "model")
        }
        (finished.folder / "attempt_1" / f"{name}.json").write_text(json.dumps({**odd, "applied": True}))
    (finished.folder / "attempt_x").mkdir()
    (finished.folder / "run_summary.json").write_text('{"usage": [], "message": {}, "outcome": null}')

    assert show_run(finished.folder).startswith("WO-01  Add the application\n")


def test_a_file_that_another_version_wrote_is_named_and_the_rest_is_shown(tmp_path: Path) -> None:
    finished = Scene(make_repo(tmp_path / "repo")).run()
    assert finished.folder is not None
    result = finished.folder / "attempt_1" / "write_result.json"
    result.write_text(json.dumps({**json.loads(result.read_text()), "moved": []}))

    lines = show_run(finished.folder).splitlines()

    assert "  write_result.json can't be shown: /moved: is not a known field" in lines
    assert any(line.startswith("  PO  passed") for line in lines)


def test_hostile_text_in_a_folder_is_shown_escaped(tmp_path: Path) -> None:
    summary = "Done.\x1b[2J\u202e" + "x" * 1_000
    finished = Scene(make_repo(tmp_path / "repo"), [a_proposal(summary=summary)]).run()
    assert finished.folder is not None

    text = visible(show_run(finished.folder))

    assert "\x1b" not in text
    assert "Done.\\x1b[2J\\u202e" in text
    assert "x" * 400 not in text


def test_what_a_build_leaves_of_a_run_whose_gates_ran_again_on_the_tip(tmp_path: Path) -> None:
    second = {**writes("WO-02.txt", depends_on=[]), "acceptance_commands": ["test ! -e WO-01.txt"]}
    orders = [writes("WO-01.txt", depends_on=[]), second]
    scene = BuildScene(
        make_repo(tmp_path / "repo"),
        orders,
        lambda name, _attempt, _request: a_proposal({f"{name}.txt": "x"}),
    )
    scene.build(max_attempts=1)
    state = require_state(scene.out)
    folder = scene.out / state.order("WO-02").runs[-1].run_id

    text = show_run(folder)

    text = text.replace(folder.name, "<run>")
    text = re.sub(r"\b[0-9a-f]{12}\b", "<commit>", re.sub(r"(?<=commands found ).+", "<environment>", text))
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "<date>", text)
    assert_golden("show_failed_on_the_tip.txt", re.sub(r"\b\d+\.\d+ s\b", "<time> s", text) + "\n")


def test_a_run_of_a_build_that_waits_for_its_turn_to_land(tmp_path: Path) -> None:
    finished = Scene(make_repo(tmp_path / "repo")).run()
    assert finished.folder is not None
    summary = finished.folder / "run_summary.json"
    waiting = {"outcome": "passed", "message": "WO-01 passed its gates, and waits for its turn to land"}
    summary.write_text(json.dumps({**json.loads(summary.read_text()), **waiting}))

    assert "\n\nWO-01 passed its gates, and waits for its turn to land\n" in show_run(finished.folder)


def test_the_directory_of_a_build_is_told_from_the_folder_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text("{}")

    with pytest.raises(WorkorderError, match="is the directory of a build") as caught:
        show_run(tmp_path)

    assert caught.value.hint.startswith(f"`factory status --out {tmp_path}` tells")
