"""What a person must accept before a model is asked, what becomes of it, and what counts where nobody did."""

import hashlib
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.configuration.acceptance import require_acceptance
from factory.configuration.guarded import NotAccepted
from factory.configuration.in_force import configuration_in_force
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.system.git.client import Git
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene, writes
from tests.support.repositories import VERIFY_PASSES, a_work_order, commit_files, git, make_repo
from tests.support.runs import Scene, read_object

OURS = 'checks = [{name = "lint", command = "true"}]\n'
THEIRS = 'checks = [{name = "lint", command = "false"}]\n'


def order(*allowed: str) -> WorkOrder:
    return WorkOrder.model_validate(a_work_order(allowed_files=list(allowed)))


def accepted(*paths: str) -> tuple[RepoPath, ...]:
    return tuple(map(RepoPath, paths))


# Before a model is asked


def test_the_folder_that_git_takes_hooks_from_is_the_user_s(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git(repo, "config", "core.hooksPath", "tools/hooks")
    wanted = [order("tools/hooks/pre-commit")]

    with pytest.raises(NotAccepted, match="git runs what lies there"):
        require_acceptance(Git.open(repo), "HEAD", wanted, wanted, frozenset())


def test_a_file_that_the_configuration_links_to_is_the_user_s(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"etc/own.toml": OURS})
    (repo / "workorder.toml").symlink_to("etc/own.toml")
    commit_files(repo, {})
    wanted = [order("etc/own.toml")]

    with pytest.raises(NotAccepted, match="a link to it configures Workorder"):
        require_acceptance(Git.open(repo), "HEAD", wanted, wanted, frozenset())


def test_a_run_is_refused_before_a_model_is_paid_and_says_which_option_accepts(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"), allowed_files=["src/app.py", ".gitattributes"])

    ending = scene.run().ending

    assert (ending.exit_code, scene.asked) == (ExitCode.REFUSED, 0)
    assert "`.gitattributes` of WO-01: git obeys it" in ending.message
    assert "--allow-config .gitattributes" in ending.hint
    assert scene.progress == []


# What becomes of it


def test_an_accepted_change_lands_with_the_hash_of_its_content(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "workorder.toml": OURS})
    proposal = a_proposal({"src/app.py": "", "workorder.toml": THEIRS}, bases={"workorder.toml": OURS})
    scene = Scene(repo, [proposal], allowed_files=["src/app.py", "workorder.toml"])

    finished = scene.run(accepted_configuration=accepted("workorder.toml"))

    assert finished.ending.exit_code == ExitCode.PASS
    sha256 = hashlib.sha256(THEIRS.encode()).hexdigest()
    trailers = git(repo, "log", "-1", "--format=%(trailers:key=Accepted-Configuration,valueonly)")
    assert trailers.strip() == f"{sha256} workorder.toml"
    assert finished.folder is not None
    settings = read_object(finished.folder / "run.json")["settings"]
    assert isinstance(settings, dict)
    assert settings["accepted_configuration"] == ["workorder.toml"]
    # From here on it counts
    assert configuration_in_force(Git.open(repo), "HEAD").configuration.checks[0].command == "false"


def test_what_steers_pytest_is_refused_at_the_write_and_the_brief_says_what_is_free(tmp_path: Path) -> None:
    old, hook = "import pytest\n", "def pytest_sessionfinish():\n    pass\n"
    fixture = "@pytest.fixture\ndef made():\n    return 1\n"
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "conftest.py": old})
    script = [a_proposal({"conftest.py": old + more}, bases={"conftest.py": old}) for more in (hook, fixture)]
    scene = Scene(repo, script, allowed_files=["conftest.py"])

    ending = scene.run().ending

    assert ending.exit_code == ExitCode.PASS
    refused = ending.attempts[0].failure
    assert refused is not None
    assert refused.message.endswith("changes what steers the test runner: `pytest_sessionfinish`")
    assert refused.hint.startswith("change only fixtures, other functions, imports and constants in it")
    assert "--allow-config conftest.py" in refused.hint


def test_a_build_refuses_before_it_announces_anything(tmp_path: Path) -> None:
    scene = BuildScene(
        make_repo(tmp_path / "repo"),
        [writes("a.py"), writes(".ci/job")],
        lambda order_id, _number, _request: a_proposal({"a.py" if order_id == "WO-01" else ".ci/job": "1\n"}),
    )

    refused = scene.build()

    assert refused.ended.exit_code == ExitCode.REFUSED
    assert "`.ci/job` of WO-02: CI runs it" in refused.ended.message
    assert scene.model.asked == []
    assert [(event["before"], event["after"]) for event in scene.events] == [("init", "interrupted")]

    built = scene.build(accepted_configuration=accepted(".ci/job"))

    assert built.ended.exit_code == ExitCode.PASS
    assert read_object(scene.out / "state.json")["accepted_configuration"] == [".ci/job"]
    log = git(scene.repo, "log", "--format=%(trailers:key=Accepted-Configuration,valueonly)").split()
    assert log == [hashlib.sha256(b"1\n").hexdigest(), ".ci/job"]


def test_in_a_build_what_the_plan_made_stays_the_plan_s(tmp_path: Path) -> None:
    texts = {"WO-01": "[pytest]\n", "WO-02": "[pytest]\naddopts = -q\n"}
    scene = BuildScene(
        make_repo(tmp_path / "repo"),
        [
            writes("pytest.ini"),
            {"allowed_files": ["pytest.ini"], "acceptance_commands": ["grep addopts pytest.ini"]},
        ],
        lambda order_id, _number, _request: a_proposal(
            {"pytest.ini": texts[order_id]},
            bases={"pytest.ini": texts["WO-01"]} if order_id == "WO-02" else {},
        ),
    )

    assert scene.build().ended.exit_code == ExitCode.PASS


# What counts where nobody accepted anything


def landed_by_hand(repo: Path, files: dict[str, str]) -> str:
    """A commit as an earlier version would have landed it."""
    return commit_files(repo, files, "WO-07: Change\n\nWork-Order: WO-07\nContract: 0\nRun-Id: 0\n")


def in_force(repo: Path) -> tuple[str, tuple[str, ...]]:
    configured = configuration_in_force(Git.open(repo), git(repo, "rev-parse", "HEAD"))
    return configured.configuration.limits, configured.passed_over


def test_what_a_work_order_changed_does_not_count_until_a_person_says_so(tmp_path: Path) -> None:
    ours, theirs = 'limits = {mem = "1G"}\n', 'limits = {mem = "9G"}\n'
    repo = make_repo(tmp_path / "repo", {"workorder.toml": ours})
    landed_by_hand(repo, {"workorder.toml": theirs})
    commit_files(repo, {"a.py": "1"})
    landed_by_hand(repo, {"pyproject.toml": "[project]\n"})

    limits, (line,) = in_force(repo)

    assert limits == "mem=1G"
    assert line.startswith("`workorder.toml` as WO-07 changed it in ")
    # The line ends with the command that accepts it.
    trailer = line.rpartition("-m ")[2].strip("'")
    git(repo, "commit", "--allow-empty", "--quiet", "-m", "Accept the configuration", "-m", trailer)
    assert in_force(repo) == ("mem=9G", ())


def test_a_person_s_own_change_counts_and_one_beside_the_table_does_not_hide_another(tmp_path: Path) -> None:
    table = '[tool.workorder]\nlimits = {mem = "%s"}\n'
    repo = make_repo(tmp_path / "repo", {"pyproject.toml": table % "1G"})
    landed_by_hand(repo, {"pyproject.toml": table % "9G"})
    commit_files(repo, {"pyproject.toml": "[project]\n" + table % "9G"})
    assert in_force(repo)[0] == "mem=1G"

    commit_files(repo, {"pyproject.toml": table % "2G"})
    assert in_force(repo) == ("mem=2G", ())
    landed_by_hand(repo, {"pyproject.toml": table % "2G" + "[tool.x]\n"})
    assert in_force(repo) == ("mem=2G", ())
