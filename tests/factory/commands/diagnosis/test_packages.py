"""What doctor tells of packages that a repository declares."""

import os
from pathlib import Path

from factory.commands.diagnosis.packages import packages_here
from tests.support.repositories import make_repo


def test_what_is_declared_and_not_locked_is_told_for_each_project(tmp_path: Path) -> None:
    asking = '{"name": "web", "dependencies": {"left-pad": "1"}}'
    files = {
        "workorder.toml": 'projects = ["web", "core"]\n[environment]\npython = ["alpha"]\n',
        "web/package.json": asking,
        "core/a.py": "",
        "core/go.mod": "module core\n",
    }
    repo = make_repo(tmp_path / "repo", files)

    root, web = packages_here(repo, os.environ)

    assert (root.name, root.state) == ("packages", "warning")
    assert root.found == "declared and not locked yet: Python"
    assert (web.name, web.found) == ("packages in web", "declared and not locked yet: npm")
    assert packages_here(tmp_path / "nowhere", os.environ) == ()


def test_what_is_not_read_is_told(tmp_path: Path) -> None:
    files = {"poetry.lock": "", "pyproject.toml": "[tool.poetry]\nname = 'shop'\n"}

    (found,) = packages_here(make_repo(tmp_path / "poetry", files), os.environ)

    assert (found.state, found.found.partition(":")[0]) == ("warning", "poetry.lock is not read")
    files |= {"workorder.toml": '[environment]\npython = ["pytest"]\n'}
    assert packages_here(make_repo(tmp_path / "declared", files), os.environ) == ()


def test_a_lock_that_does_not_fit_refuses_a_run(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"workorder.toml": "", "requirements.lock": "alpha==1\n"} | ALPHA)

    (found,) = packages_here(repo, os.environ)

    assert (found.state, found.found.partition(":")[0]) == ("error", "requirements.lock")


ALPHA = {"requirements.txt": "alpha\n"}
