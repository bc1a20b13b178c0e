"""A run begins with the repository's own verification, before anybody is asked."""

from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from tests.support.answers import a_proposal
from tests.support.repositories import Files, files_of, git, make_repo
from tests.support.runs import Scene, read_object

WITH_A_FAILURE: Files = {
    "README.md": "a product\n",
    "test_old.py": "def test_broken():\n    assert False\n\n\ndef test_works():\n    pass\n",
}


def test_a_base_that_fails_is_refused_before_a_model_is_asked_unless_it_is_accepted(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", WITH_A_FAILURE)
    before = files_of(repo)
    scene = Scene(repo)

    refused = scene.run()

    assert (refused.ending.exit_code, refused.ending.outcome) == (ExitCode.REFUSED, "refused")
    assert "test_old.py::test_broken" in refused.ending.message
    assert "--baseline-red" in refused.ending.hint
    assert (scene.asked, files_of(repo)) == (0, before)
    assert (scene.out / "baseline" / "baseline_result.json").exists()
    assert refused.folder is not None
    assert read_object(refused.folder / "run_summary.json")["exit_code"] == 2

    assert scene.run(baseline_red=True).ending.outcome == "landed"


@pytest.mark.parametrize(("in_place", "verified"), [(False, 3), (True, 4)])
def test_a_second_run_on_the_same_base_uses_the_result_again(
    tmp_path: Path, in_place: bool, verified: int
) -> None:
    """Of the user's own checkout no commit tells all that is in it, so there it is verified again."""
    counted = tmp_path / "counted"
    repo = make_repo(tmp_path / "repo", {"scripts/verify.sh": f"echo >> {counted}\n"})
    scene = Scene(repo, [a_proposal(), a_proposal()], acceptance_commands=["false"])

    for _ in range(2):
        assert scene.run(max_attempts=1, in_place=in_place).ending.exit_code == ExitCode.FAIL

    assert counted.read_text() == "\n" * verified
    assert git(repo, "status", "--porcelain") == ""


def test_what_the_plan_is_still_to_make_is_not_verified_with_before(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", WITH_A_FAILURE)
    scene = Scene(repo)
    later = {"kind": "file_exists", "path": "scripts/verify.sh"}
    order = read_object(scene.work_order)
    second = {**order, "id": "WO-02", "allowed_files": ["scripts/verify.sh"]}
    scene.stands_in_a_plan(
        order, second, verify_contract={"command": "bash scripts/verify.sh", "requires": [later]}
    )

    assert scene.run().ending.outcome == "landed"
