"""The bench of defective plans: its sound plans have no finding, and what it plants is counted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from planner.check.on_disk import check_built_plan
from planner.commands.inputs import read_spec
from tests.support.repositories import make_repo

BENCH = Path(__file__).parents[2] / "scripts" / "bench" / "honesty"
PLANS = sorted(path.parent for path in BENCH.glob("plans/*/spec.md"))


def base_files(folder: Path) -> dict[str, str]:
    """The files that a plan's repository holds before."""
    files = {}
    for piece in (folder / "solution.txt").read_text("utf-8").split("=== ")[1:]:
        head, _, content = piece.partition("\n")
        order, path = head.split(" ")
        if order == "BASE":
            files[path] = content
    return files


@pytest.mark.parametrize("folder", PLANS, ids=lambda path: path.name)
def test_a_sound_plan_has_no_finding(folder: Path, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", base_files(folder) or {".keep": ""})
    checked, _ = check_built_plan(
        folder / "WORK_ORDERS_MANIFEST.json", repo, spec=read_spec(folder / "spec.md")
    )
    assert (checked.is_json, checked.diagnostics) == (True, ())


@pytest.mark.timeout(600)
def test_what_is_planted_is_checked_and_counted(tmp_path: Path) -> None:
    report = tmp_path / "found.json"
    done = subprocess.run(
        [sys.executable, BENCH / "run.py", "--checks-only", "--only", "shelf", "--json", report],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    cases = json.loads(report.read_bytes())
    by_name = {(case["kind"], case["name"]): case for case in cases}
    scope = by_name["a postcondition outside of the scope", "of a library"]
    assert (scope["noticed"], scope["stopped"]) == (True, True)
    assert {finding["code"] for finding in scope["findings"]} == {"E103"}
    assert f"| {sum(case['defective'] for case in cases)} |" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found.json"]


def test_it_is_large_enough() -> None:
    done = subprocess.run(
        [sys.executable, BENCH / "run.py", "--list"], capture_output=True, text=True, check=True
    )
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    defects = [line for line in lines if line[0] == "defect"]
    assert len(defects) >= 60
    assert len(lines) - len(defects) >= 20
    assert {plan for _, plan, *_ in defects} == {folder.name for folder in PLANS}
    assert len(PLANS) == 6
