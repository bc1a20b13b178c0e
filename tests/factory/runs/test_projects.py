"""Runs in repositories that hold several projects: each has its own directory, verification and packages."""

import json
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.contract.identity import contract_trailers
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.runs.run import Finished
from tests.support.answers import a_proposal
from tests.support.repositories import a_work_order, git, make_repo
from tests.support.runs import Scene, read_object

TEST = "from core import NAME\n\n\ndef test_name():\n    assert NAME == {!r}\n"
FILES = {
    "workorder.toml": 'projects = ["services/api", "web"]\n',
    "README.md": "two projects\n",
    "services/api/core.py": "NAME = 'api'\n",
    "services/api/tests/test_core.py": TEST.format("api"),
    "services/api/tests/conftest.py": "import os, sys\nsys.path.insert(0, os.getcwd())\n",
    "web/core.py": "NAME = 'web'\n",
    "web/tests/test_core.py": TEST.format("web"),
    "web/tests/conftest.py": "import os, sys\nsys.path.insert(0, os.getcwd())\n",
}
SIZE = {"services/api/size.py": "from core import NAME\n\nSIZE = len(NAME)\n"}
OF_API = {
    "project": "services/api",
    "allowed_files": [*SIZE],
    "acceptance_commands": ['python -c "import size; assert size.SIZE == 3"'],
    "provides": ["size:SIZE: int"],
}


def checks_of(finished: Finished, part: str) -> dict[str, str]:
    """What ran of a part of the first attempt: the note of each check, or how its command ended."""
    assert finished.folder is not None
    checks = json.loads((finished.folder / "attempt_1" / f"{part}_result.json").read_text())["checks"]
    return {
        check["name"]: check["note"] or ", ".join(str(command["exit_code"]) for command in check["commands"])
        for check in checks
    }


def test_a_work_order_of_one_of_two_projects_with_a_module_of_the_same_name(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo", FILES), [a_proposal(SIZE)], **OF_API)

    finished = scene.run(red_probe=True, second_pass=True, mutants=2)

    assert finished.ending.exit_code is ExitCode.PASS, finished.ending
    ran = checks_of(finished, "verify")
    assert ran["pytest in services/api"] == "0"
    assert "pytest" not in ran and "pytest in web" not in ran
    others = checks_of(finished, "other_projects")
    assert others["pytest in web"] == "0"
    assert others["pytest"] == "skipped: no sources beside the projects"
    assert finished.folder is not None
    record = read_object(finished.folder / "run.json")
    assert [project["directory"] for project in record["projects"]] == ["services/api", "web"]  # type: ignore
    message = git(scene.repo, "log", "-1", "--format=%B")
    assert f"Environment: {record['projects'][0]['environment']['hash']}" in message  # type: ignore
    printed = finished.folder / "attempt_1" / "projects" / "services" / "api" / "pytest.output.txt"
    assert "1 passed" in printed.read_text()


def test_all_projects_are_verified_first_where_that_is_asked_for(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo", FILES), [a_proposal(SIZE)], **OF_API)

    finished = scene.run(verify="all")

    assert finished.ending.exit_code is ExitCode.PASS, finished.ending
    assert {"pytest in services/api", "pytest in web"} < {*checks_of(finished, "verify")}


def test_what_breaks_a_project_that_the_work_order_does_not_touch_does_not_land(tmp_path: Path) -> None:
    files = {
        **FILES,
        "web/tests/test_core.py": (
            "import pathlib\n\n\ndef test_other():\n"
            "    assert not (pathlib.Path(__file__).parents[2] / 'services/api/size.py').exists()\n"
        ),
    }
    scene = Scene(make_repo(tmp_path / "repo", files), [a_proposal(SIZE)] * 2, **OF_API)

    finished = scene.run()

    assert finished.ending.exit_code is ExitCode.FAIL
    assert checks_of(finished, "acceptance")["acceptance"] == "0"
    assert finished.ending.failure is not None
    assert "test_other" in finished.ending.failure.excerpt
    assert git(scene.repo, "rev-list", "--count", "HEAD") == "1"


def test_what_lies_beside_the_projects_is_verified_without_them(tmp_path: Path) -> None:
    files = {**FILES, "tools/count.py": "def count(): return 1\n", "tests/test_root.py": "def test(): pass\n"}
    order = {"allowed_files": ["tools/more.py"], "acceptance_commands": ["test -f tools/more.py"]}
    scene = Scene(make_repo(tmp_path / "repo", files), [a_proposal({"tools/more.py": "MORE = 1\n"})], **order)

    finished = scene.run()

    assert finished.ending.exit_code is ExitCode.PASS, finished.ending
    ran = checks_of(finished, "verify")
    assert (ran["compileall"], ran["pytest"]) == ("0", "0")
    assert finished.folder is not None
    assert "1 passed" in (finished.folder / "attempt_1" / "pytest.output.txt").read_text()


def test_a_project_has_checks_and_a_script_of_its_own(tmp_path: Path) -> None:
    files = {
        **FILES,
        "services/api/workorder.toml": (
            '[[checks]]\nname = "here"\ncommand = "test -f core.py"\n'
            '[[checks]]\nname = "told"\ncommand = "test -f nowhere"\ngates = false\n'
        ),
        "services/api/scripts/verify.sh": "test -f core.py && test ! -e web\n",
    }
    scene = Scene(make_repo(tmp_path / "repo", files), [a_proposal(SIZE)], **OF_API)

    finished = scene.run()

    assert finished.ending.exit_code is ExitCode.PASS, finished.ending
    ran = checks_of(finished, "verify")
    # It runs no tests, though there are some.
    assert ran["verify.sh in services/api"].startswith("which tests pytest ran in it is not known")
    assert ran["here in services/api"] == "0"
    assert ran["told in services/api"] == "only reported, as configured"


@pytest.mark.parametrize(
    ("configuration", "more", "said", "exit_code"),
    [
        ('projects = ["web"]', {}, "names the project `services/api`", ExitCode.PLAN_DEFECT),
        ("", {}, "but `workorder.toml` names no projects", ExitCode.PLAN_DEFECT),
        ('projects = ["services/api", "desk"]', {}, "`desk` is no directory", ExitCode.REFUSED),
        (
            'projects = ["services/api"]',
            {"services/api/workorder.toml": "[limits]\nmem = '1G'\n"},
            "a project's own configuration can't hold `limits`",
            ExitCode.REFUSED,
        ),
        (
            'projects = ["services/api"]',
            {"services/api/workorder.toml": "check = 1\n"},
            "check: is not a known key",
            ExitCode.REFUSED,
        ),
    ],
)
def test_a_project_that_can_not_be_used_ends_the_run_before_anything_is_paid(
    configuration: str, more: dict[str, str], said: str, exit_code: ExitCode, tmp_path: Path
) -> None:
    scene = Scene(make_repo(tmp_path / "repo", {**FILES, **more, "workorder.toml": configuration}), **OF_API)

    finished = scene.run()

    assert said in finished.ending.message, finished.ending
    assert finished.ending.exit_code is exit_code
    assert scene.asked == 0


def test_a_proposal_does_not_configure_a_project(tmp_path: Path) -> None:
    order = {**OF_API, "allowed_files": ["web/workorder.toml"], "provides": []}
    scene = Scene(make_repo(tmp_path / "repo", FILES), **order)

    finished = scene.run()

    assert "it configures Workorder" in finished.ending.message
    assert scene.asked == 0
    assert a_work_order(**OF_API)["project"] == "services/api"


def test_one_directory_may_be_the_only_project_whatever_lies_beside_it(tmp_path: Path) -> None:
    files = {
        **FILES,
        "workorder.toml": '[[checks]]\nname = "broken"\ncommand = "false"\n[limits]\nmem = "3G"\n',
        "scripts/verify.sh": "exit 1\n",
        "web/tests/test_core.py": "def test(): assert 0\n",
        "services/api/workorder.toml": (
            '[[checks]]\nname = "here"\ncommand = "test -f core.py"\n[limits]\nmem = "1G"\n'
        ),
    }
    order = {**OF_API, "project": None}
    scene = Scene(make_repo(tmp_path / "repo", files), [a_proposal(SIZE)], **order)

    finished = scene.run(project=RepoPath.parse("services/api"), red_probe=True)

    assert finished.ending.exit_code is ExitCode.PASS, finished.ending
    ran = checks_of(finished, "verify")
    assert ran["here in services/api"] == "0" and ran["pytest in services/api"] == "0"
    assert not {"broken", "verify.sh", "pytest in web"} & {*ran}
    assert finished.folder is not None
    assert not (finished.folder / "attempt_1" / "other_projects_result.json").exists()
    record = read_object(finished.folder / "run.json")
    assert record["environment"] == record["projects"][0]["environment"]  # type: ignore[index,call-overload]
    message = git(scene.repo, "log", "-1", "--format=%B")
    planned = WorkOrder.model_validate(a_work_order(**OF_API))
    assert f"Contract: {contract_trailers(planned)[0]}" in message


@pytest.mark.parametrize(
    ("project", "named", "said", "exit_code"),
    [
        ("desk", None, "`desk` is no directory of the commit", ExitCode.REFUSED),
        ("web", "services/api", "names the project `services/api`", ExitCode.PLAN_DEFECT),
    ],
)
def test_an_only_project_that_can_not_be_used(
    project: str, named: str | None, said: str, exit_code: ExitCode, tmp_path: Path
) -> None:
    scene = Scene(make_repo(tmp_path / "repo", FILES), **{**OF_API, "project": named})

    finished = scene.run(project=RepoPath.parse(project))

    assert said in finished.ending.message, finished.ending
    assert finished.ending.exit_code is exit_code
    assert scene.asked == 0
