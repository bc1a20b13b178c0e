"""Mutants of what was written show whether the checks of a work order are worth anything."""

from pathlib import Path

import pytest

from factory.attempt.failure import Stage
from factory.contract.strict_json import JsonObject
from factory.mutation.kill_proof import is_product_code, written_lines
from factory.report.show import show_run
from tests.support.answers import a_proposal
from tests.support.repositories import VERIFY_PASSES, files_of, git, make_repo
from tests.support.runs import Scene, read_object, summary_of

APP = "def larger(a, b):\n    return a if a > b else b\n\n\ndef double(a):\n    return a * 2\n"
STRONG = (
    'python -c "from app import larger, double;'
    ' assert larger(1, 2) == 2 == larger(2, 1); assert double(3) == 6"'
)
WEAK = 'python -c "import app"'


def make_scene(tmp_path: Path, command: str, files: dict[str, str] | None = None) -> Scene:
    written = {"app.py": APP} if files is None else files
    repo = make_repo(tmp_path / "repo")
    return Scene(
        repo,
        [a_proposal(written), a_proposal(written)],
        allowed_files=list(written),
        acceptance_commands=[command],
    )


def proof(scene: Scene, attempt: int = 1) -> JsonObject:
    (path,) = scene.out.glob(f"*/attempt_{attempt}/kill_proof.json")
    return read_object(path)


def test_checks_that_look_at_results_notice_and_what_lands_is_what_was_written(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, STRONG)

    assert scene.run(mutants=5).ending.exit_code == 0

    measured = proof(scene)
    assert measured["verdict"] == "measured"
    assert measured["percent"] >= 80  # type: ignore[operator]
    fates = measured["fates"]
    assert isinstance(fates, list)
    assert len(fates) > 3
    assert files_of(scene.repo)["app.py"].decode() == APP
    assert git(scene.repo, "status", "--porcelain") == ""


def test_an_import_alone_notices_nothing(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, WEAK)

    assert scene.run(mutants=2).ending.exit_code == 0

    measured = proof(scene)
    assert (measured["percent"], measured["threshold"]) == (0, None)
    fates = measured["fates"]
    assert isinstance(fates, list)
    assert len(fates) == 2


def test_each_score_is_told_for_itself_and_weak_acceptance_is_a_warning(tmp_path: Path) -> None:
    script = "test ! -e app.py || python -c 'from app import double; assert double(3) == 6'\n"
    scene = Scene(
        make_repo(tmp_path / "repo", {"scripts/verify.sh": script}),
        [a_proposal({"app.py": APP})],
        allowed_files=["app.py"],
        acceptance_commands=[WEAK],
    )

    finished = scene.run(mutants=6)

    assert finished.ending.exit_code == 0
    measured = proof(scene)
    tried = len(measured["fates"])  # type: ignore[arg-type]
    scores = measured["scores"]
    assert isinstance(scores, dict)
    noticed = scores["verification"]
    assert scores == {"tried": tried, "acceptance": 0, "verification": noticed}
    assert 0 < int(str(noticed)) < tried
    described = f"acceptance notices 0 of {tried} changes, verification {noticed}"
    assert finished.ending.message.endswith(f"; {described}")
    assert summary_of(finished)["attempts"][0]["scores"] == scores  # type: ignore[index,call-overload]
    assert any("weak acceptance" in line for line in scene.progress)
    assert finished.folder is not None
    shown = show_run(finished.folder)
    assert f"(by acceptance 0, by verification {noticed})" in shown
    assert "weak acceptance" in shown


def test_what_acceptance_notices_the_verification_is_asked_for_too(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, STRONG)

    scene.run(mutants=3)

    assert proof(scene)["scores"] == {"tried": 3, "acceptance": 2, "verification": 0}
    assert not any("weak acceptance" in line for line in scene.progress)


RUN_ALL = 'python -c "import app; app.larger(1, 2); app.larger(2, 1); app.double(3)"'


def test_who_notices_nothing_of_what_is_executed_has_proved_nothing(tmp_path: Path) -> None:
    command = f"""sh -c '{RUN_ALL.replace('"', chr(34))}'"""
    scene = make_scene(tmp_path, command, {"app.py": APP.replace("a * 2", "[a, 2]")})

    ending = scene.run(mutants=3).ending

    assert ending.exit_code == 1
    assert ending.failure is not None
    assert (ending.failure.stage, scene.asked) == (Stage.ACCEPTANCE_FAILED, 2)
    assert "notice none of" in ending.failure.message
    assert "app.py:2: " in ending.failure.excerpt
    assert "write tests" in ending.failure.hint
    fates = proof(scene)["fates"]
    assert isinstance(fates, list)
    assert {fate["executed"] for fate in fates if isinstance(fate, dict)} == {True}


def test_changes_that_no_command_comes_to_and_fewer_than_three_prove_nothing_wrong(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, 'python -c "import app; app.double(3)"')

    finished = scene.run(mutants=5)

    assert finished.ending.exit_code == 0
    fates = proof(scene)["fates"]
    assert isinstance(fates, list)
    executed = {fate["line"]: fate["executed"] for fate in fates if isinstance(fate, dict)}
    assert executed == {2: False, 6: True}
    assert finished.folder is not None
    assert "of these lines the checks do not execute" in show_run(finished.folder)


def test_that_nothing_notices_and_nothing_executes_is_told_at_the_landing(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, WEAK)

    finished = scene.run(mutants=4)

    assert finished.ending.exit_code == 0
    assert proof(scene)["scores"] == {"tried": 4, "acceptance": 0, "verification": 0, "executed": 0}
    told = (
        "not proven: neither acceptance nor verification notices any of the 4 changes of what was written,"
        " and they execute none of the changed lines"
    )
    assert any(told in line for line in scene.progress)
    assert finished.folder is not None
    assert f"  {told}\n" in show_run(finished.folder)


def test_who_sets_a_threshold_decides_what_is_enough(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, RUN_ALL)

    assert scene.run(mutants=3, kill_threshold=0).ending.exit_code == 0


def test_below_the_threshold_the_attempt_fails_and_the_brief_shows_the_survivors(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, WEAK)

    ending = scene.run(mutants=2, kill_threshold=50).ending

    assert ending.exit_code == 1
    assert ending.failure is not None
    assert "0 of 2 changes" in ending.failure.message
    assert "app.py:2: " in ending.failure.excerpt
    assert scene.asked == 2


@pytest.mark.parametrize("path", ["notes.md", "tests/test_app.py", "conftest.py"])
def test_nothing_to_mutate_is_told_as_not_measured(tmp_path: Path, path: str) -> None:
    scene = make_scene(tmp_path, f"test -f {path}", {path: "X = 1 + 1\n"})

    assert scene.run(mutants=4, kill_threshold=100).ending.exit_code == 0

    assert (proof(scene)["verdict"], proof(scene)["percent"]) == ("not measured", None)


def test_only_lines_that_were_written_count(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"scripts/verify.sh": "exit 0\n", "app.py": APP})
    changed = APP.replace("a * 2", "a * 2 + 0")
    scene = Scene(
        repo,
        [a_proposal({"app.py": changed}, bases={"app.py": APP})],
        allowed_files=["app.py"],
        acceptance_commands=[STRONG],
    )

    assert scene.run(mutants=50).ending.exit_code == 0

    fates = proof(scene)["fates"]
    assert isinstance(fates, list)
    assert {fate["line"] for fate in fates if isinstance(fate, dict)} == {6}


def test_lines_count_also_where_git_is_told_not_to_show_them(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, ".gitattributes": "*.py -diff\n"})
    scene = Scene(repo, [a_proposal({"app.py": APP})], allowed_files=["app.py"], acceptance_commands=[STRONG])

    assert scene.run(mutants=2).ending.exit_code == 0

    assert proof(scene)["verdict"] == "measured"


def test_lines_of_a_patch() -> None:
    patch = (
        b"--- a/x\n+++ b/x\n@@ -1,0 +2,3 @@ def f\n+a\n+b\n+c\n"
        b"@@ -9 +12 @@\n-x\n+y\n@@ -20,2 +22,0 @@\n-a\n-b\n"
    )
    assert written_lines(patch) == {2, 3, 4, 12}


def test_what_counts_as_product_code() -> None:
    assert is_product_code("a/contest.py")
    assert not is_product_code("a/tests/helper.py")
    assert not is_product_code("a/data.json")
    assert not is_product_code("a/tests.py")
    assert not is_product_code("test.py")


def test_what_the_commands_of_one_mutant_leave_does_not_decide_on_the_next(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, "python -c \"import app, pathlib; pathlib.Path('made').mkdir()\"")

    assert scene.run(mutants=2).ending.exit_code == 0

    assert proof(scene)["percent"] == 0
    assert git(scene.repo, "status", "--porcelain") == ""


def test_a_mutant_is_noticed_although_compiled_code_of_another_has_its_size_and_time(tmp_path: Path) -> None:
    command = (
        "python -c \"import compileall, os; os.utime('app.py', (1, 1));"
        " compileall.compile_dir('.', quiet=1); import app; assert app.pair() == [1, 2]\""
    )
    scene = make_scene(tmp_path, command, {"app.py": "def pair():\n    return [1, 2]\n"})

    assert scene.run(mutants=4).ending.exit_code == 0

    assert proof(scene)["percent"] == 100


def test_what_stands_in_the_folder_of_the_run_decides_nothing(tmp_path: Path) -> None:
    forged = tmp_path / "out"
    command = (
        "python -c \"import app, pathlib; [path.write_text('forged') for path in"
        f" pathlib.Path('{forged}').glob('*/attempt_1/verify_result.json')]\""
    )
    scene = make_scene(tmp_path, command)

    assert scene.run(mutants=1).ending.exit_code == 0

    assert proof(scene)["verdict"] == "measured"
