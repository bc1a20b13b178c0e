"""Mutants of what was written show whether the checks of a work order are worth anything."""

from pathlib import Path

import pytest

from factory.contract.strict_json import JsonObject
from factory.mutation.kill_proof import is_product_code, written_lines
from tests.support.answers import a_proposal
from tests.support.repositories import files_of, git, make_repo
from tests.support.runs import Scene, read_object

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

    assert scene.run(mutants=20).ending.exit_code == 0

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

    assert scene.run(mutants=4).ending.exit_code == 0

    measured = proof(scene)
    assert (measured["percent"], measured["threshold"]) == (0, None)
    fates = measured["fates"]
    assert isinstance(fates, list)
    assert len(fates) == 4


def test_below_the_threshold_the_attempt_fails_and_the_brief_shows_the_survivors(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, WEAK)

    ending = scene.run(mutants=4, kill_threshold=50).ending

    assert ending.exit_code == 1
    assert ending.failure is not None
    assert "0 of 4 changes" in ending.failure.message
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
    repo = make_repo(tmp_path / "repo", {".gitattributes": "*.py -diff\n"})
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

    assert scene.run(mutants=4).ending.exit_code == 0

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
