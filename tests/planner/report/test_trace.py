"""The matrix from lines to commits, in each format; nothing that it shows can act."""

import json
import re
import subprocess
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from factory.attempt.summary import KillScores
from factory.contract.identity import contract_hash
from factory.contract.work_order import Plan
from planner.plan.trace import Trace, trace
from planner.report.trace import TraceFormat, counts, write_trace
from planner.repository.landed import Landing, NoSuchBranch, landings
from planner.specification.spec import Spec
from tests.support.golden import assert_golden
from tests.support.plans import makes, manifest
from tests.support.repositories import git, make_repo

SPEC = Spec.of_text(
    """\
# Words

It is | small.

- It prints the words,
  sorted.
- It says `|` and <b>bold</b>.
- Twice is once.
- Nobody takes this.
"""
)
PLAN = Plan.model_validate(
    manifest(
        makes(1, "scripts/verify.sh", title="Verify", acceptance_commands=["bash -n scripts/verify.sh"]),
        makes(
            2,
            "words.py",
            title="Print | `words` \x1b[31m\n<script>",
            requirements=["REQ-01", "REQ-02"],
            acceptance_commands=["python -m pytest -q", "python words.py 'a | b'"],
        ),
        makes(3, "more.py", requirements=["REQ-02", "REQ-05"], acceptance_commands=["python more.py"]),
        requirements=[
            {
                "id": "REQ-01",
                "text": "Sorted\u202e words.",
                "quotes": ["It prints the words, sorted.", "small."],
            },
            {"id": "REQ-02", "text": "Both.", "quotes": ["It says `|` and <b>bold</b>.", "prints the words"]},
            {"id": "REQ-03", "text": "Nobody.", "quotes": ["Nobody"]},
            {"id": "REQ-04", "text": "Lost.", "quotes": ["It is not there."]},
            {
                "id": "REQ-05",
                "text": "Of before.",
                "quotes": ["It was there.", "Twice is once."],
                "withdrawn": True,
            },
        ],
    )
)
LANDINGS = {
    "WO-01": Landing("1" * 40, "exit-code"),
    "WO-02": Landing("2" * 40, "report", "acceptance 0 of 5, verification 4 of 5", removed_tests="2"),
}


@pytest.mark.parametrize("trace_format", TraceFormat)
@pytest.mark.parametrize("landings", [None, LANDINGS], ids=["plan", "built"])
def test_the_matrix_reads_like_this(trace_format: TraceFormat, landings: dict[str, Landing] | None) -> None:
    traced = trace(PLAN, SPEC, landings, {} if landings is None else {"WO-03": "not | now\x1b[31m"})
    name = "plan" if landings is None else "built"
    assert_golden(f"trace_{name}.{trace_format}.txt", write_trace(traced, trace_format, "spec.md"))


def traced() -> Trace:
    return trace(PLAN, SPEC, LANDINGS)


def test_each_line_knows_its_requirements() -> None:
    by_line = {
        line.passage.first: (line.normative, line.covered, line.requirements) for line in traced().lines
    }
    assert by_line == {
        3: (False, True, ("REQ-01",)),
        5: (True, True, ("REQ-01", "REQ-02")),
        7: (True, True, ("REQ-02",)),
        8: (True, False, ()),
        9: (True, False, ("REQ-03",)),
    }
    assert [line.passage.first for line in traced().uncovered] == [8, 9]


def test_each_requirement_knows_its_lines_and_work_orders() -> None:
    by_id = {
        requirement.id: (requirement.lines, requirement.misquoted, requirement.work_orders)
        for requirement in traced().requirements
    }
    assert by_id == {
        "REQ-01": ((3, 5, 6), (), ("WO-02",)),
        "REQ-02": ((5, 7), (), ("WO-02", "WO-03")),
        "REQ-03": ((9,), (), ()),
        "REQ-04": ((), ("It is not there.",), ()),
        # Of another specification: what it quoted there is not looked for in this one.
        "REQ-05": ((), (), ("WO-03",)),
    }
    assert [requirement.id for requirement in traced().requirements if requirement.withdrawn] == ["REQ-05"]


def test_what_is_covered_is_counted() -> None:
    assert counts(traced()) == (
        "2 of 4 normative lines are quoted, 5 requirements (1 withdrawn), 3 work orders, 2 landed"
    )
    assert counts(trace(PLAN, SPEC)).endswith("3 work orders")


def test_a_plan_without_requirements_shows_every_line() -> None:
    old = trace(Plan.model_validate(manifest(makes(1, "a.py"))), SPEC)
    assert [line.passage.first for line in old.uncovered] == [5, 7, 8, 9]
    assert "(no requirement quotes this)" in write_trace(old, TraceFormat.TEXT, "spec.md")


def test_a_row_of_markdown_has_its_cells_and_no_signs() -> None:
    table = write_trace(traced(), TraceFormat.MARKDOWN, "spec.md")
    for row in table.splitlines():
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 8
        assert not re.search(r"(?<!\\)<(?!br>)", row) and "\x1b" not in row


@pytest.mark.parametrize(
    "text",
    [
        "Write `a_b` to src/a.py: 50 % of #1, @you (really)!",
        "*no* _emphasis_ in __init__.py or ~~this~~ [link](x) ![i](y)",
        "a | b \\| c \\",
        "&lt; <b>bold</b> <https://a.b> http://a.b www.a.b",
    ],
)
def test_a_cell_of_markdown_reads_as_it_was_written_without_entities(text: str) -> None:
    document = manifest(makes(1, "a.py", title=text))
    table = write_trace(trace(Plan.model_validate(document), SPEC), TraceFormat.MARKDOWN, "spec.md")

    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(table)

    assert "&#" not in table
    cells = re.findall(r"<td>(.*?)</td>", rendered)
    assert f"WO-01 {escape(text, quote=False)}" in [cell.replace("&quot;", '"') for cell in cells]


def test_ordinary_text_is_left_as_it_is() -> None:
    text = "Read src/read_lines.py (UTF-8), #1: a -> b & c!"
    document = manifest(makes(1, "a.py", title=text))
    assert text in write_trace(trace(Plan.model_validate(document), SPEC), TraceFormat.MARKDOWN, "spec.md")


def land(repo: Path, number: int, contract: str, more: str = "") -> str:
    order = PLAN.work_orders[number - 1]
    message = f"{order.id}: x\n\nWork-Order: {order.id}\nContract: {contract}\nRun-Id: 0\n{more}"
    git(repo, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(repo, "rev-parse", "HEAD")


class TestLandedCommits:
    @pytest.fixture
    def repo(self, tmp_path: Path) -> Path:
        return make_repo(tmp_path / "repo")

    def test_the_newest_commit_with_the_present_contract_counts(self, repo: Path) -> None:
        hashes = [contract_hash(order) for order in PLAN.work_orders]
        land(repo, 1, hashes[0])
        newest = land(repo, 1, hashes[0])
        land(repo, 2, "0" * 64)
        git(
            repo,
            "commit",
            "--quiet",
            "--allow-empty",
            "--message",
            f"Talk\n\nContract: {hashes[2]}\n\nand more",
        )
        assert landings(repo, PLAN) == {"WO-01": Landing(newest)}

    def test_a_commit_says_how_well_it_is_proven(self, repo: Path) -> None:
        score = KillScores(tried=5, acceptance=0, verification=4)
        more = f"Verdict: report\nKill-Score: {score.counts}\n"
        commit = land(repo, 2, contract_hash(PLAN.work_orders[1]), more)

        landing = landings(repo, PLAN)["WO-02"]

        assert landing == Landing(commit, "report", score.counts)
        assert landing.weakness

    def test_another_branch_is_another_history(self, repo: Path) -> None:
        git(repo, "branch", "before")
        commit = land(repo, 3, contract_hash(PLAN.work_orders[2]))
        assert landings(repo, PLAN, "HEAD") == {"WO-03": Landing(commit)}
        assert landings(repo, PLAN, "before") == {}

    @pytest.mark.parametrize("branch", ["nowhere", "--all", ""])
    def test_a_branch_that_is_not_there_is_refused(self, repo: Path, branch: str) -> None:
        with pytest.raises(NoSuchBranch):
            landings(repo, PLAN, branch)

    def test_a_repository_without_a_commit_has_landed_nothing(self, tmp_path: Path) -> None:
        subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
        assert landings(tmp_path, PLAN) == {}


def test_json_is_whole() -> None:
    document = json.loads(write_trace(traced(), TraceFormat.JSON, "spec.md"))
    assert set(document) == {"spec", "lines", "requirements", "work_orders"}
    assert document["work_orders"][1]["commit"] == "2" * 40
    assert document["work_orders"][1]["weak_acceptance"] is True
    assert document["work_orders"][2]["commit"] is None


@pytest.mark.parametrize(
    ("score", "is_weak"),
    [
        ("acceptance 0 of 5, verification 1 of 5", True),
        ("acceptance 0 of 5, verification 0 of 5", False),
        ("acceptance 1 of 5, verification 5 of 5", False),
        ("", False),
        ("acceptance 0 of 5, verification 5 of 5\x1b[31m", False),
    ],
)
def test_acceptance_is_weak_where_only_the_verification_notices(score: str, is_weak: bool) -> None:
    assert bool(Landing("1" * 40, "report", score).weakness) is is_weak


@pytest.mark.parametrize(
    ("score", "is_silent"),
    [
        ("acceptance 0 of 4, verification 0 of 4", True),
        ("acceptance 0 of 5, verification 1 of 5", False),
        ("acceptance 1 of 5, verification 0 of 5", False),
        ("", False),
    ],
)
def test_where_nothing_notices_a_change_the_work_order_is_not_proven(score: str, is_silent: bool) -> None:
    landing = Landing("2" * 40, "report", score)
    trace = replace(
        traced(),
        work_orders=tuple(replace(order, landing=landing) for order in traced().work_orders),
    )

    assert bool(landing.silence) is is_silent
    for form in (TraceFormat.TEXT, TraceFormat.MARKDOWN):
        assert (f"not proven: {score}" in write_trace(trace, form, "spec.md")) is is_silent
    document = json.loads(write_trace(trace, TraceFormat.JSON, "spec.md"))
    assert {order["not_proven"] for order in document["work_orders"]} == {is_silent}
