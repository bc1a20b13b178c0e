"""Builds of plans whose work orders belong to several projects of one repository."""

import json
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.report.transitions import render_event
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene
from tests.support.repositories import git, make_repo

ROOT = "import os, sys\nsys.path.insert(0, os.getcwd())\n"
FILES = {
    "workorder.toml": 'projects = ["services/api", "web"]\n',
    "services/api/core.py": "NAME = 'api'\n",
    "services/api/tests/conftest.py": ROOT,
    "services/api/tests/test_core.py": "from core import NAME\n\n\ndef test_name(): assert NAME == 'api'\n",
    "web/core.py": "NAME = 'web'\n",
    "web/tests/conftest.py": ROOT,
    "web/tests/test_core.py": "from core import NAME\n\n\ndef test_name(): assert NAME == 'web'\n",
}
WRITTEN = {
    "WO-01": {"services/api/size.py": "from core import NAME\n\nSIZE = len(NAME)\n"},
    "WO-02": {"web/size.py": "from core import NAME\n\nSIZE = len(NAME) + 1\n"},
}


def an_order(project: str, size: int) -> dict[str, object]:
    return {
        "project": project,
        "allowed_files": [f"{project}/size.py"],
        "postconditions": [{"kind": "file_exists", "path": f"{project}/size.py"}],
        "acceptance_commands": [f'python -c "import size; assert size.SIZE == {size}"'],
        "provides": ["size:SIZE: int"],
    }


def test_work_orders_of_two_projects_with_modules_of_the_same_names(tmp_path: Path) -> None:
    orders = [an_order("services/api", 3), an_order("web", 4)]
    scene = BuildScene(
        make_repo(tmp_path / "repo", FILES),
        orders,  # type: ignore[arg-type]
        lambda order, _attempt, _request: a_proposal(WRITTEN[order]),
    )

    built = scene.build(jobs=2, red_probe=True)

    assert built.ended.exit_code is ExitCode.PASS, built.ended
    assert scene.landed() == ["WO-01", "WO-02"]
    projects = [event["used"] for event in scene.events if event["event"] == "project"]
    assert [project["directory"] for project in projects] == ["services/api", "web"]  # type: ignore
    told = [line for event in scene.events for line in render_event(built.state, event)]  # type: ignore
    assert [line.partition(" find ")[0] for line in told if line.startswith("commands in ")] == [
        "commands in services/api",
        "commands in web",
    ]
    trailers = git(scene.repo, "log", "--format=%(trailers:key=Environment,valueonly)").split()
    assert trailers == [projects[1]["environment"]["hash"], projects[0]["environment"]["hash"]]  # type: ignore
    checks = json.loads((scene.out / "baseline" / "baseline_result.json").read_text())["checks"]
    passed = {check["name"]: check["passed_tests"] for check in checks}
    assert passed["pytest in web"] == ["web/tests/test_core.py::test_name"]
    assert passed["pytest in services/api"] == ["services/api/tests/test_core.py::test_name"]
