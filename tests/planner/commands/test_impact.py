"""`planner impact` as a user calls it."""

import json
from pathlib import Path

import pytest

from planner.cli import main
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
