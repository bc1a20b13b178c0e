"""`planner revise` as a user calls it."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from factory.contract.errors import WorkorderError
from factory.contract.work_order import MANIFEST_NAME
from planner.cli import main
from planner.compile.amending import CHANGES_NAME
from tests.support.revisions import SPEC, Bench, answer, mend


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_program_revises(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    program = bench.root / "model.py"
    program.write_text(f"import sys\nsys.stdin.read()\nsys.stdout.write({answer(mend)!r})\n")
    model = f"command:{shlex.join([sys.executable, str(program)])}"
    assert main(bench.options("--failure", bench.failure(), "--llm", model)) == 0
    captured = capsys.readouterr()
    assert "revised: the plan has 3 work orders" in captured.out
    assert "WO-02 failed at `PO`: `the command fails`; 1 of 3 have landed" in captured.err
    assert (bench.root / "revised" / MANIFEST_NAME).exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "there is no reason to revise the plan"),
        (["--feedback", " "], "the feedback is empty"),
        (["--feedback", "x", "--old-spec", "spec.md"], "only with --spec"),
        (["--feedback", "x", "--failure", "f"], "not allowed with"),
        (["--failure", "nowhere.json"], "nowhere.json"),
    ],
)
def test_bad_usage_is_refused(
    bench: Bench, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(bench.options(*options)) == 1
    assert message in capsys.readouterr().err


def test_what_is_no_plan_is_told(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    (bench.root / "broken.json").write_text("{}")
    broken = ["--plan", str(bench.root / "broken.json")]
    assert main(bench.options("--feedback", "x", *broken)) == 2
    assert main(["impact", *broken, "--spec", str(bench.root / "spec.md")]) == 2
    assert "E000" in capsys.readouterr().err


def test_the_old_plan_is_replaced_only_if_told_so(bench: Bench) -> None:
    here = ["--outdir", str(bench.root / "plan"), "--feedback", "Sort."]
    with pytest.raises(WorkorderError, match="already holds a plan"):
        bench.revise([], *here)
    bench.revise([answer(mend)], *here, "--overwrite")
    assert bench.before.revision == 2
    assert (bench.root / "plan" / CHANGES_NAME).exists()


def test_a_specification_that_changes_nothing_asks_no_model(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = bench.spec(SPEC + "\nAbout words.\n")
    compare = ["--old-spec", str(bench.root / "spec.md")]
    for options, is_hinted in (([], True), (compare, False)):
        with pytest.raises(WorkorderError, match="asks for nothing else") as refused:
            bench.revise([], "--spec", changed, *options)
        assert ("--old-spec FILE" in refused.value.hint) == is_hinted
        assert main(["impact", "--plan", str(bench.root / "plan"), "--spec", changed, *options]) == 0
        assert ("--old-spec FILE" in capsys.readouterr().err) == is_hinted


def test_a_second_opinion_on_a_revision_leaves_what_has_landed(bench: Bench) -> None:
    orders = bench.before.work_orders
    said = [
        {
            "order": order.id,
            "kind": "contradicts",
            "quote": order.intent,
            "against": "",
            "problem": "No.",
            "mend": "",
        }
        for order in orders
    ]
    objections = json.dumps({"objections": said})
    bench.revise([answer(mend), objections, *[answer(mend)] * 2], "--feedback", "Sort.", "--review")

    asked = [request.purpose for request in bench.models[-1].requests]
    assert asked == ["plan", "review", "revise", "revise"]
    sent_back = bench.prompt(2)
    assert "warning[W220] WO-01" not in sent_back
    assert "warning[W220] WO-03" in sent_back
