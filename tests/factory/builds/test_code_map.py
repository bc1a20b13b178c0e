"""Where each file of a build comes from, told from the commits that landed."""

import json
from pathlib import Path

from factory.attempt.commit.message import commit_message
from factory.builds.branch.history import history
from factory.builds.code_map import CODE_MAP_FILE, write_code_map
from factory.contract.identity import contract_hash
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan
from factory.system.git.client import Git
from tests.support.repositories import a_work_order, commit_files, git, make_repo

PLAN = Plan.model_validate({"work_orders": [a_work_order(id=f"WO-0{n}") for n in (1, 2)]})


def land(repo: Path, number: int, files: dict[str, str]) -> str:
    order = PLAN.work_orders[number - 1]
    return commit_files(
        repo, files, commit_message(order, "Done.", contract_hash(order), f"r{number}", "report", "e" * 64)
    )


def code_map(repo: Path, out: Path) -> JsonObject:
    tip = git(repo, "rev-parse", "HEAD")
    opened = Git.open(repo)
    write_code_map(opened, PLAN, history(opened, tip, PLAN), out)
    files: JsonObject = json.loads((out / CODE_MAP_FILE).read_text())["files"]
    return files


def test_a_file_that_two_wrote_comes_from_both(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    first = land(repo, 1, {"a b.txt": "1\n", "only.txt": "1\n"})
    commit_files(repo, {"a b.txt": "2\n"}, "By hand")
    second = land(repo, 2, {"a b.txt": "3\n"})

    assert code_map(repo, tmp_path) == {
        "a b.txt": {"work_orders": ["WO-01", "WO-02"], "requirements": [], "commits": [first, second]},
        "only.txt": {"work_orders": ["WO-01"], "requirements": [], "commits": [first]},
    }


def test_of_a_shallow_clone_only_what_is_known_is_told(tmp_path: Path) -> None:
    origin = make_repo(tmp_path / "origin")
    land(origin, 1, {"a.txt": "1\n"})
    second = land(origin, 2, {"b.txt": "2\n"})
    git(tmp_path, "clone", "--quiet", "--depth=2", f"file://{origin}", "repo")

    assert code_map(tmp_path / "repo", tmp_path) == {
        "b.txt": {"work_orders": ["WO-02"], "requirements": [], "commits": [second]}
    }
