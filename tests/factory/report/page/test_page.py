"""The report: what it tells of a run and of a build, in each form; what strangers wrote can't act in it."""

import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markupsafe import escape

from factory.builds.state.attempts import RunEntry, Spending
from factory.builds.state.file import save_state
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.plan_record import record_findings
from factory.cli import main
from factory.contract.errors import WorkorderError
from factory.contract.work_order import MANIFEST_NAME, Plan, WorkOrder
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.report.page.attempts import Room
from factory.report.page.html import ROOM, write_html
from factory.report.page.junit import write_junit
from factory.report.page.pictures import graph, timeline
from factory.report.page.reading import read_story
from factory.report.page.result import write_annotations, write_json
from factory.report.page.steps import steps_in
from factory.report.page.story import Order, Step, Story
from factory.report.page.summary import write_markdown
from factory.report.workers import WorkersTrial
from factory.system.templates import template_path
from tests.support.answers import a_proposal
from tests.support.build_states import a_state, an_attempt, an_order
from tests.support.plans import makes, manifest
from tests.support.repositories import make_repo
from tests.support.runs import Scene

HOSTILE = "</pre><script>document.title='owned'</script><img src=http://127.0.0.1:9/x>\u202e\x1b[31m```"
SMALL = Room(each=1_000, all=100_000)
COMMAND = "python -c \"import sys; sys.exit(open('a.txt').read())\""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that failed with hostile words everywhere."""
    root = tmp_path_factory.mktemp("page")
    answer = a_proposal({"a.txt": HOSTILE + "\n"}, summary=HOSTILE)
    scene = Scene(
        make_repo(root / "repo"),
        [answer, answer],
        title=f"Write {HOSTILE}",
        allowed_files=["a.txt"],
        acceptance_commands=[COMMAND],
    )
    finished = scene.run()
    assert finished.folder is not None
    return finished.folder


@pytest.fixture
def story(folder: Path) -> Story:
    return read_story(folder, SMALL)


class _Page(HTMLParser):
    """What a page has of elements, addresses and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.scripts: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "script":
            assert not attrs
            self.scripts.append("")
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]
        assert not any(name.startswith("on") or name == "style" for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and self.scripts and not self.scripts[-1]:
            self.scripts[-1] = data
        elif self.lasttag != "style":
            self.text += data


def test_what_strangers_wrote_is_text_on_the_page(story: Story, folder: Path) -> None:
    text = write_html(story, folder / "report.html")
    page = _Page(text)
    assert not page.tags & {"img", "iframe", "form", "link", "object"}
    assert page.scripts == [template_path("report/fold.js").read_text()]
    assert "<script>document.title='owned'</script>" in page.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
    assert all(not address.startswith(("http", "//", "/", "javascript")) for address in page.addresses)
    for address in page.addresses:
        if not address.startswith("#"):
            assert (folder / address).exists(), address


def test_where_there_is_no_test_nothing_is_drawn_as_failed(tmp_path: Path) -> None:
    """pytest ends with 5 then, which verification accepts."""
    scene = Scene(
        make_repo(tmp_path / "repo", {"app.py": "ONE = 1\n"}),
        [a_proposal({"a.txt": "0\n"})],
        allowed_files=["a.txt"],
        acceptance_commands=["grep 0 a.txt"],
    )
    finished = scene.run()
    assert finished.folder is not None
    text = write_html(read_story(finished.folder, SMALL), tmp_path / "report.html")
    assert "no tests collected" in text
    assert "exit 5" in text
    assert 'class="failed"' not in text
    assert 'class="bad"' not in text


def test_the_failure_comes_first_with_what_was_printed(story: Story, folder: Path) -> None:
    text = _Page(write_html(story, folder / "report.html")).text
    text = text[text.index("to the work orders") :]
    assert text.index("What failed") < text.index("The whole") < text.index("Work orders")
    assert text.index("failed at acceptance_failed") < text.index("The whole")
    assert "2 attempts are spent" in text[: text.index("What failed")]
    assert text.count("failed at acceptance_failed") >= 3
    assert {"prompt", "answer"} <= {line.strip() for line in text.splitlines()}


def test_a_long_text_is_cut_in_its_middle_and_linked(folder: Path) -> None:
    (run,) = read_story(folder, SMALL).orders[0].runs
    prompt = next(text for text in run.attempts[0].texts if text.name == "prompt")
    assert 0 < len(escape(prompt.text)) < 1_100
    assert prompt.left_out > 0
    assert f"{prompt.left_out:,} characters are left out" in prompt.text
    assert "attempt_1/se_prompt.txt" in write_html(read_story(folder, SMALL), folder / "report.html")


def test_markdown_holds_its_fences(story: Story) -> None:
    text = write_markdown(story)
    fence = re.findall(r"^(`{3,})text$", text, re.MULTILINE)
    assert fence == ["````"]
    assert "| WO-01 Write \\</pre>\\<script>" in text
    assert "\x1b" not in text


def test_junit_has_each_command_of_each_attempt(story: Story) -> None:
    root = ElementTree.fromstring(write_junit(story))
    (suite,) = root
    cases = [(case.get("classname"), case.get("name")) for case in suite if case.find("failure") is not None]
    assert cases == [
        ("WO-01.attempt 1", f"acceptance: {COMMAND}"),
        ("WO-01.attempt 2", f"acceptance: {COMMAND}"),
    ]
    assert (suite.get("failures"), suite.get("skipped")) == ("2", "0")
    assert int(suite.get("tests") or 0) == len(suite) > 2


def test_each_form_names_the_workers_of_trials(story: Story) -> None:
    assert "workers" not in write_markdown(story) + _Page(write_html(story, story.out / "x.html")).text
    trial = WorkersTrial(trial="examine", worker=HOSTILE, waited_seconds=0.25, seconds=5.0)
    (order,) = story.orders
    runs = tuple(replace(run, trials=(trial,)) for run in order.runs)
    told = replace(story, orders=(replace(order, runs=runs),))

    page = _Page(write_html(told, story.out / "x.html"))

    assert "waited 0.2 s, took 5.0 s" in page.text
    assert page.tags == _Page(write_html(story, story.out / "x.html")).tags | {"ul", "li"}
    assert "1 trial, waited 0.2 s" in write_markdown(told)
    assert json.loads(write_json(told))["work_orders"][0]["trials"][0]["waited_seconds"] == 0.25


def test_json_tells_how_it_ended_and_what_it_used(story: Story) -> None:
    told = json.loads(write_json(story))
    assert (told["all_landed"], told["exit_code"], told["branch"]) == (False, 1, "main")
    (order,) = told["work_orders"]
    assert (order["id"], order["state"], order["commit"]) == ("WO-01", "failed", None)
    assert order["failure"]["stage"] == "acceptance_failed"
    assert told["spent"] == order["spent"]
    assert set(told["spent"]) >= {"input_tokens", "output_tokens", "cost_usd"}
    assert not re.search("[\x1b\u202e]", told["outcome"] + order["title"])


def test_annotations_are_ten_lines_that_nothing_can_break_out_of(story: Story) -> None:
    (failed,) = story.failed
    (run,) = failed.runs
    (*_, last) = run.attempts
    assert last.failure is not None
    hostile = replace(last, failure=last.failure.model_copy(update={"message": "100%\n::add-mask::a"}))
    run = replace(run, summary=None, attempts=(hostile,))
    orders = tuple(replace(failed, id=f"WO-{number:02d}", runs=(run,)) for number in range(1, 13))

    lines = write_annotations(replace(story, orders=orders)).splitlines()

    assert lines[0].startswith("::error title=WO-01 failed at acceptance_failed::100%25")
    assert not any(line.startswith("::add-mask") for line in lines)
    assert [line.split()[0] for line in lines] == ["::error"] * 10 + ["::notice::and"]
    assert "and 2 more" in lines[-1]
    assert write_annotations(replace(story, orders=(order(1),))) == ""


def test_a_build_tells_all_work_orders_and_a_failed_attempt_of_a_landed_one_breaks_nothing(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / folder.name)
    tried = an_order(1, OrderPhase.LANDED, attempts=(an_attempt(1, passed=False), an_attempt(2)))
    runs = (RunEntry(run_id=folder.name, attempts=tried.runs[0].attempts),)
    tried = tried.model_copy(update={"runs": runs})
    save_state(tmp_path, a_state(tried, an_order(2), state=BuildPhase.FAILED))

    story = read_story(tmp_path, SMALL)

    assert [(order.id, order.state, order.is_done) for order in story.orders] == [
        ("WO-01", "landed", True),
        ("WO-02", "pending", False),
    ]
    assert (story.outcome, story.all_landed, story.failed) == ("1 of 2 work orders have landed", False, ())
    first, second = ElementTree.fromstring(write_junit(story))
    assert (first.get("failures"), second.get("skipped")) == ("0", "1")
    assert int(first.get("skipped") or 0) == 2
    assert "WO-02" in write_markdown(story)


def test_what_a_person_left_out_is_no_failure_of_a_build_and_has_not_landed(tmp_path: Path) -> None:
    left = an_order(2, OrderPhase.SKIPPED)
    save_state(tmp_path, a_state(an_order(1, OrderPhase.LANDED), left, state=BuildPhase.COMPLETE))

    story = read_story(tmp_path, SMALL)

    assert write_markdown(story).startswith("## ✅ 1 of 2 work orders have landed")
    assert '<p class="outcome good">' in write_html(story, tmp_path / "report.html")
    assert not json.loads(write_json(story))["all_landed"]


def order(number: int, *on: int) -> Order:
    names = tuple(f"WO-{name:02d}" for name in on)
    contract = WorkOrder.model_validate(makes(number, f"{number}.py") | {"depends_on": names})
    return Order(contract.id, contract.title, "pending", "", Spending(), contract, ())


def test_the_graph_goes_from_left_to_right_and_leaves_out_what_follows() -> None:
    drawn = graph([order(1), order(2, 1), order(3, 1), order(4, 1, 2, 3)])
    columns = [box.x for box in drawn.boxes]
    assert columns[0] < columns[1] == columns[2] < columns[3]
    assert drawn.boxes[1].y < drawn.boxes[2].y
    assert len(drawn.lines) == 4
    assert all(x1 < x2 for x1, _, x2, _ in drawn.lines)
    assert max(x2 for _, _, x2, _ in drawn.lines) < drawn.width


def test_the_timeline_has_a_bar_for_each_command_of_each_attempt(story: Story) -> None:
    drawn = timeline(story.orders)
    assert drawn is not None
    assert [row.label for row in drawn.rows] == ["WO-01, attempt 1", "WO-01, attempt 2"]
    assert not any(row.passed for row in drawn.rows)
    kinds = [(bar.kind, bar.passed) for bar in drawn.bars if bar.row == 0]
    assert kinds[:2] == [("before", True), ("answer", True)]
    assert ("check", False) in kinds
    assert any(f"acceptance: {COMMAND} (exit 1): " in bar.label for bar in drawn.bars)
    assert all(bar.x + bar.width < drawn.width for bar in drawn.bars)
    assert timeline([order(1)]) is None


def test_parts_that_are_told_together_took_the_time_of_their_commands(story: Story, tmp_path: Path) -> None:
    """As those of a trial on another machine are."""
    (run,) = story.orders[0].runs
    checks = tuple(
        replace(check, commands=tuple(replace(command, seconds=2.0) for command in check.commands))
        for check in run.attempts[0].checks
    )
    told = (
        {"event": "applied", "time": "2026-01-01T00:00:00Z", "attempt": 1},
        {"event": "examined", "time": "2026-01-01T00:01:00Z", "attempt": 1, "part": "verify"},
        {"event": "examined", "time": "2026-01-01T00:01:00Z", "attempt": 1, "part": "acceptance"},
    )
    (tmp_path / "events.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in told))
    steps = steps_in(tmp_path, [replace(run.attempts[0], checks=checks)])["attempt 1"]
    assert {step.label.partition(":")[0] for step in steps} == {"verify", "acceptance"}
    assert all(step.end - step.begin == 2.0 for step in steps)
    assert [step.begin for step in steps[1:]] == [step.end for step in steps[:-1]]


def test_the_timeline_leaves_out_that_nothing_was_done_for_days(story: Story) -> None:
    (told,) = story.orders
    (run,) = told.runs
    steps = tuple(Step("check", "verify", begin, begin + 10) for begin in (0.0, 10.0, 300_000.0))
    attempt = replace(run.attempts[0], steps=steps)
    drawn = timeline([replace(told, runs=(replace(run, before=(), attempts=(attempt,)),))])
    assert drawn is not None
    assert (drawn.total, len(drawn.breaks)) == ("0:30", 1)
    first, second, third = drawn.bars
    assert first.x + first.width == second.x
    assert second.x + second.width < drawn.breaks[0] < third.x
    assert abs(first.width - third.width) <= 1


def test_thirty_work_orders_of_nothing_but_hostile_signs_are_below_3_mb(folder: Path, tmp_path: Path) -> None:
    for number in range(30):
        run = tmp_path / f"run{number}"
        shutil.copytree(folder, run)
        record = (run / "run.json").read_text().replace('"WO-01"', f'"WO-{number + 1:02d}"')
        (run / "run.json").write_text(record)
        for attempt in run.glob("attempt_*"):
            for name in ("se_prompt.txt", "llm_response.txt", "changes.diff"):
                (attempt / name).write_text("+\"'<&\x1b\n" * 20_000)
    text = write_html(read_story(tmp_path, ROOM), tmp_path / "report.html")
    assert text.count('class="order"') == 30
    assert 1_000_000 < len(text.encode()) < 3_000_000


def test_what_the_rules_found_in_the_plan_of_a_build(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "out" / folder.name)
    out, repo = tmp_path / "out", tmp_path / "repo"
    save_state(out, a_state(an_order(1), an_order(2), state=BuildPhase.FAILED))
    files = ["--sarif", str(tmp_path / "r.sarif"), "--gitlab", str(tmp_path / "r.json")]
    assert main(["report", "--out", str(out), *files]) == 2
    assert not (tmp_path / "r.json").exists()

    value = manifest(makes(1, "a.py"), makes(2, "b.py", depends_on=["WO-01"]))
    (repo / "plan").mkdir(parents=True)
    (repo / "plan" / MANIFEST_NAME).write_text(json.dumps(value, indent=1))
    found = Diagnostic("E101", "unmet", Severity.ERROR, "WO-02", "/work_orders/1/intent", HOSTILE, "mend it")
    record_findings(out, Plan.model_validate(value), [found], repo / "plan", repo)
    assert main(["report", "--out", str(out), *files]) == 0

    (result,) = json.loads((tmp_path / "r.sarif").read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    line = place["region"]["startLine"]
    assert place["artifactLocation"]["uri"] == f"plan/{MANIFEST_NAME}"
    assert '"intent": "Do step 2."' in (repo / "plan" / MANIFEST_NAME).read_text().splitlines()[line - 1]
    (entry,) = json.loads((tmp_path / "r.json").read_text())
    assert (entry["severity"], entry["location"]["lines"]["begin"]) == ("major", line)
    told = read_story(out, SMALL)
    assert [order.contract.depends_on for order in told.orders if order.contract] == [None, ("WO-01",)]
    page = _Page(write_html(told, out / "report.html"))
    assert "error E101" in page.text
    assert HOSTILE[:40] in page.text


def test_the_command_writes_what_is_asked_for(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, results = tmp_path / "new" / "r.html", tmp_path / "r.xml"
    asked = ["--html", str(page), "--junit", str(results)]
    assert main(["report", *asked]) == 2
    assert main(["report", str(folder.parent), *asked]) == 0
    assert capsys.readouterr().out == f"written: {page}\nwritten: {results}\n"
    assert main(["report", str(folder), "--gitlab", str(tmp_path / "found.json")]) == 0
    assert json.loads((tmp_path / "found.json").read_text()) == []
    capsys.readouterr()
    assert page.read_text().startswith("<!doctype html>")
    assert main(["report", "--out", str(folder)]) == 2
    assert "no file is named" in capsys.readouterr().err
    with pytest.raises(WorkorderError, match="holds no build and no run"):
        read_story(tmp_path, SMALL)
