"""A build begins with the repository's own verification, before anybody is asked."""

from pathlib import Path

import pytest

from factory.contract.repo_path import RepoPath
from factory.llm.port import Request
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene, writes
from tests.support.repositories import Files, make_repo

WITH_A_FAILURE: Files = {
    "README.md": "a product\n",
    "test_old.py": "def test_broken():\n    assert False\n\n\ndef test_works():\n    pass\n",
}


def writes_its_file(order_id: str, _attempt: int, _request: Request) -> str:
    return a_proposal({f"{order_id}.txt": f"by {order_id}\n"})


def test_a_repository_whose_verification_fails_is_refused_before_a_model_is_asked(tmp_path: Path) -> None:
    scene = BuildScene(make_repo(tmp_path / "repo", WITH_A_FAILURE), [writes("WO-01.txt")], writes_its_file)

    ended = scene.build().ended

    assert ended.exit_code == 2
    assert "the repository's own verification fails already" in ended.message
    assert "test_old.py::test_broken" in ended.message
    assert "--baseline-red" in ended.hint
    assert scene.model.asked == []


def test_an_accepted_failure_does_not_count_and_a_new_one_does(tmp_path: Path) -> None:
    def reply(_order_id: str, attempt: int, _request: Request) -> str:
        return a_proposal({"test_new.py": f"def test_new():\n    assert {attempt} == 2\n"})

    scene = BuildScene(make_repo(tmp_path / "repo", WITH_A_FAILURE), [writes("test_new.py")], reply)

    ended = scene.build(baseline_red=True).ended

    assert ended.exit_code == 0
    assert len(scene.model.asked) == 2
    assert "test_new.py::test_new" in scene.model.prompts["WO-01", 2]


def test_a_plan_that_is_still_to_make_its_verification_starts_without_it(tmp_path: Path) -> None:
    """The tests need what the first work order brings; until then there is nothing to verify with."""
    repo = make_repo(tmp_path / "repo", WITH_A_FAILURE)
    orders = [writes("scripts/verify.sh", id="WO-01", verify_exempt=False)]
    scene = BuildScene(repo, orders, lambda *_: a_proposal({"scripts/verify.sh": "exit 0\n"}))
    manifest = {
        "system_overview": [],
        "verify_contract": {
            "command": "bash scripts/verify.sh",
            "requires": [{"kind": "file_exists", "path": "scripts/verify.sh"}],
        },
        "work_orders": [scene.order("WO-01")],
    }
    scene.write_manifest(manifest)

    assert scene.build().ended.exit_code == 0


def test_a_missing_program_is_the_machines_fault(tmp_path: Path) -> None:
    files = {"README.md": "x\n", "workorder.toml": '[[checks]]\nname = "none"\ncommand = "no-such-program"\n'}
    scene = BuildScene(make_repo(tmp_path / "repo", files), [writes("WO-01.txt")], writes_its_file)

    ended = scene.build().ended

    assert ended.exit_code == 8
    assert "no-such-program" in ended.message


def test_the_deadline_ends_the_verification_of_the_base_too(tmp_path: Path) -> None:
    files = {"scripts/verify.sh": "sleep 600\n"}
    scene = BuildScene(make_repo(tmp_path / "repo", files), [writes("WO-01.txt")], writes_its_file)

    ended = scene.build(deadline_seconds=1.0, timeout_seconds=30.0).ended

    assert (ended.exit_code, scene.model.asked) == (5, [])
    assert "deadline" in ended.message


def test_a_configured_check_gates_and_no_attempt_can_switch_it_off(tmp_path: Path) -> None:
    files = {
        "README.md": "x\n",
        "scripts/verify.sh": "exit 0\n",
        "workorder.toml": '[[checks]]\nname = "tidy"\ncommand = "sh -c \'! grep -rq dirty *.txt\'"\n',
    }

    def reply(_order_id: str, attempt: int, _request: Request) -> str:
        written = {"a.txt": "dirty\n" if attempt == 1 else "clean\n"}
        bases = {"workorder.toml": files["workorder.toml"]}
        return a_proposal({**written, "workorder.toml": ""}, bases=bases)

    order = writes("a.txt")
    order["allowed_files"] = ["a.txt", "workorder.toml"]
    scene = BuildScene(make_repo(tmp_path / "repo", files), [order], reply)

    # Although a person accepted the change
    accepted = (RepoPath("workorder.toml"),)
    assert scene.build(accepted_configuration=accepted).ended.exit_code == 0

    assert len(scene.model.asked) == 2
    assert "tidy" in scene.model.prompts["WO-01", 2] or "dirty" in scene.model.prompts["WO-01", 2]


@pytest.mark.parametrize(("verify", "after"), [("", []), ("python -m pytest -q\n", ["WO-01"])])
def test_a_test_that_landed_in_this_build_or_an_earlier_one_may_not_vanish(
    tmp_path: Path, verify: str, after: list[str]
) -> None:
    files = {"test_old.py": "def test_old():\n    pass\n"} | ({"scripts/verify.sh": verify} if verify else {})
    written = {
        "WO-01": {"tests/test_new.py": "def test_new():\n    pass\n"},
        "WO-02": {
            "conftest.py": "collect_ignore = ['tests']\n",
            "test_other.py": "def test_other():\n    pass\n",
        },
    }
    orders = [
        {"allowed_files": [*paths], "acceptance_commands": [f"test -f {next(iter(paths))}"]}
        for paths in written.values()
    ]
    orders[1]["depends_on"] = [*after]
    scene = BuildScene(
        make_repo(tmp_path / "repo", files), orders, lambda order_id, *_: a_proposal(written[order_id])
    )

    # Also where a person accepted what hides it.
    accepted = (RepoPath("conftest.py"),)
    for _ in range(2):
        ended = scene.build(max_attempts=1, accepted_configuration=accepted).ended

        assert scene.landed() == ["WO-01"]
        assert ended.failure is not None
        assert (
            "1 test that passed before no longer ran and passed: tests/test_new.py::test_new" in ended.message
        )


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_the_repository_says_a_model_costs_is_what_is_shown(tmp_path: Path, jobs: int) -> None:
    files = {
        "scripts/verify.sh": "exit 0\n",
        "workorder.toml": "price = { input = 10000, output = 0 }\n",
    }
    scene = BuildScene(make_repo(tmp_path / "repo", files), [writes("WO-01.txt")], writes_its_file)

    state = scene.build(jobs=jobs).state

    assert state is not None
    # The scripted model uses 100 tokens in.
    assert state.spent.cost_usd == 1.0
    assert state.wasted.cost_usd is None
