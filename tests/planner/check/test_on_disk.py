"""`planner check --repo` judges a plan as a revision does: from where it started, without what landed."""

import json
from pathlib import Path

import pytest

from factory.contract.work_order import Plan
from planner.cli import main
from planner.compile.emit import with_computed_fields, write_plan
from tests.support.plans import Json, absent, exists
from tests.support.repositories import git
from tests.support.revisions import CHANGED, Bench, document, on_top, step


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def check(bench: Bench, plan: str, *options: str) -> int:
    return main(["check", str(bench.root / plan), "--repo", str(bench.root / "repo"), *options])


def rewrite(bench: Bench, altered: Json, *landed: int) -> None:
    plan = with_computed_fields(Plan.model_validate(altered), frozenset(), "c0ffee")
    write_plan(plan, bench.root / "plan", overwrite=True)
    for number in landed:
        files = {str(path): "1\n" for path in plan.work_orders[number - 1].allowed_files}
        bench.land(plan, number, {**files, "old.py": f"x = {number + 3}\n"})


def test_what_a_landed_one_made_is_not_there_at_the_start(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    altered = document()
    altered["work_orders"][0]["preconditions"] = [absent("words.py")]
    altered["work_orders"][1]["preconditions"] = [absent("sort.py"), exists("words.py")]
    rewrite(bench, altered, 1)
    assert check(bench, "plan") == 0
    assert check(bench, "plan", "--branch", "main") == 0
    assert capsys.readouterr().err.count("plan: 0 errors, 0 warnings; 1 of 3 have landed") == 2
    on_top(altered)
    bench.revise([json.dumps(altered)], "--spec", bench.spec(CHANGED))
    assert check(bench, "revised", "--spec", bench.spec(CHANGED)) == 0


def test_what_has_landed_is_there_for_those_with_a_lower_number(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    altered = document()
    altered["work_orders"][1]["preconditions"] = [exists("count.py")]
    rewrite(bench, altered, 3)
    assert main(["check", str(bench.root / "plan")]) == 2
    assert "error[E101] WO-02 /work_orders/1/preconditions/0: `count.py`" in capsys.readouterr().out
    assert check(bench, "plan") == 0
    altered["work_orders"][1]["preconditions"] = [absent("count.py")]
    rewrite(bench, altered)
    assert check(bench, "plan") == 2


def test_what_landed_is_not_judged_but_only_at_its_place(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    altered = document()
    altered["work_orders"][0]["preconditions"] = [exists("gone.py")]
    rewrite(bench, altered)
    assert check(bench, "plan") == 2
    rewrite(bench, altered, 1)
    assert check(bench, "plan") == 0
    altered["work_orders"].append(altered["work_orders"][0])
    (bench.root / "twice.json").write_text(json.dumps(altered))
    capsys.readouterr()
    assert check(bench, "twice.json", "--output-format", "concise") == 2
    output = capsys.readouterr().out
    assert "error[E001] WO-01 /work_orders/3" in output and "/work_orders/0" not in output


def test_a_new_plan_starts_from_what_is_tracked(bench: Bench) -> None:
    git(bench.root / "repo", "rm", "--quiet", "--cached", "words.py")
    altered = document()
    altered["work_orders"][2]["preconditions"] = [exists("draft.py")]
    rewrite(bench, altered)
    assert check(bench, "plan") == 2
    (bench.root / "repo" / "draft.py").write_text("")
    git(bench.root / "repo", "add", "draft.py")
    # WO-02 needs what WO-01 made.
    assert check(bench, "plan") == 2
    git(bench.root / "repo", "add", "words.py")
    assert check(bench, "plan") == 0


def test_a_broken_plan_is_told_with_a_repository_too(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in ("{", "[]", '{"work_orders": [7]}'):
        (bench.root / "broken.json").write_text(text)
        assert check(bench, "broken.json") == 2
    assert "E000" in capsys.readouterr().out


def test_a_drawing_starts_there_too(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    altered = document()
    altered["work_orders"][0] = step(1, "lib/words.py", "REQ-01")
    altered["work_orders"][1]["acceptance_commands"] = ["python sort.py lib"]
    rewrite(bench, altered, 1)
    drawing = ["graph", str(bench.root / "plan"), "--repo", str(bench.root / "repo"), "--format", "json"]
    assert main(drawing) == 0
    assert json.loads(capsys.readouterr().out)["work_orders"][1]["depends_on"] == ["WO-01"]


@pytest.mark.parametrize("command", ["check", "graph"])
def test_a_branch_needs_its_repository(
    bench: Bench, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert main([command, str(bench.root / "plan"), "--branch", "main"]) == 1
    assert "--branch: has a meaning only with --repo" in capsys.readouterr().err
