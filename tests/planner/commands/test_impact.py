"""`planner impact` as a user calls it."""

import json
from pathlib import Path

import pytest

from factory.contract.canonical import sha256_hex
from factory.contract.work_order import SPEC_NAME, Plan, Provenance
from factory.system.plan_files import NoPlan
from planner.cli import main
from planner.commands.inputs import read_old_spec
from tests.support.revisions import CHANGED, SPEC, Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (SPEC, (0, 0)),
        (SPEC.replace(" ", "\n  "), (0, 0)),
        (CHANGED, (0, 2)),
        (f"{SPEC}- It must.\n", (0, 2)),
    ],
)
def test_whether_there_is_an_impact_is_told_by_the_exit_code_if_asked(
    bench: Bench, text: str, codes: tuple[int, int]
) -> None:
    arguments = ["impact", "--plan", str(bench.root / "plan"), "--spec", bench.spec(text)]
    assert (main(arguments), main([*arguments, "--exit-code"])) == codes


def test_the_impact_is_shown(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["impact", "--plan", str(bench.root / "plan"), "--spec", bench.spec(CHANGED)]
    repo = ["--repo", str(bench.root / "repo"), "--old-spec", str(bench.root / "spec.md")]
    assert main([*arguments, *repo]) == 0
    assert "WO-01  dirty, landed  `Step 1`\nWO-02  may be affected, not landed" in capsys.readouterr().out
    assert main([*arguments, "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["work_orders"][0] == {
        "id": "WO-01",
        "title": "Step 1",
        "state": "dirty",
        "landed": None,
        "because": {"requirements": ["REQ-01"], "depends_on": [], "shares": []},
    }


def keeping(plan: Plan, text: str, made_of: str) -> Plan:
    """A plan that keeps a text of its specification, and was made of a file with these contents."""
    first, *others = plan.work_orders
    made = Provenance.model_construct(spec_hash=sha256_hex(made_of.encode()))
    orders = (first.model_copy(update={"provenance": made}), *others)
    return plan.model_copy(update={"spec_text_hash": sha256_hex(text.encode()), "work_orders": orders})


def test_the_copy_beside_the_plan_is_the_specification_before(bench: Bench) -> None:
    place = bench.root / "plan"
    (place / SPEC_NAME).write_text(SPEC)
    kept = read_old_spec(None, place, keeping(bench.before, SPEC, SPEC))
    assert kept is not None
    assert (kept.text, kept.sha256) == (SPEC, sha256_hex(SPEC.encode()))
    # Of data only the text is kept, without the ids of its parts; and the user's word goes first.
    of_data = keeping(bench.before, SPEC, "overview: x")
    assert read_old_spec(None, place, of_data) is None
    given = read_old_spec(Path(bench.spec(CHANGED)), place, of_data)
    assert given is not None
    assert given.text == CHANGED
    (place / SPEC_NAME).write_text(CHANGED)
    with pytest.raises(NoPlan, match="not the specification that the plan was made for"):
        read_old_spec(None, place, keeping(bench.before, SPEC, SPEC))
