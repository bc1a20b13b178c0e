"""The report: what it tells of a run and of a build, in each form; what strangers wrote can't act in it."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from factory.builds.state.attempts import RunEntry
from factory.builds.state.file import save_state
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.cli import main
from factory.contract.errors import WorkorderError
from factory.contract.work_order import WorkOrder
from factory.report.page.html import write_html
from factory.report.page.junit import write_junit
from factory.report.page.pictures import graph, timeline
from factory.report.page.story import Order, Story, read_story
from factory.report.page.summary import write_markdown
from tests.support.answers import a_proposal
from tests.support.build_states import a_state, an_attempt, an_order
from tests.support.plans import makes
from tests.support.repositories import make_repo
from tests.support.runs import Scene

HOSTILE = "</pre><script>document.title='owned'</script><img src=http://127.0.0.1:9/x>\u202e\x1b[31m```"
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
    return read_story(folder, 1_000)


class _Page(HTMLParser):
    """What a page has of elements, addresses and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]
        assert not any(name.startswith("on") or name == "style" for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_what_strangers_wrote_is_text_on_the_page(story: Story, folder: Path) -> None:
    text = write_html(story, folder / "report.html")
    page = _Page(text)
    assert not page.tags & {"script", "img", "iframe", "form", "link", "object"}
    assert "<script>document.title='owned'</script>" in page.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
    assert all(not address.startswith(("http", "//", "/", "javascript")) for address in page.addresses)
    for address in page.addresses:
        if not address.startswith("#"):
            assert (folder / address).exists(), address


def test_the_failure_comes_first_with_what_was_printed(story: Story, folder: Path) -> None:
    text = _Page(write_html(story, folder / "report.html")).text
    assert text.index("What failed") < text.index("The whole") < text.index("Work orders")
    assert text.index("failed at acceptance_failed") < text.index("The whole")
    assert "2 attempts are spent" in text[: text.index("What failed")]
    assert text.count("failed at acceptance_failed") >= 3
    assert {"prompt", "answer"} <= {line.strip() for line in text.splitlines()}


def test_a_long_text_is_cut_in_its_middle_and_linked(folder: Path) -> None:
    (run,) = read_story(folder, 1_000).orders[0].runs
    prompt = next(text for text in run.attempts[0].texts if text.name == "prompt")
    assert 0 < len(prompt.text) < 1_100
    assert prompt.left_out > 0
    assert f"{prompt.left_out:,} characters are left out" in prompt.text
    assert "attempt_1/se_prompt.txt" in write_html(read_story(folder, 1_000), folder / "report.html")


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


def test_a_build_tells_all_work_orders_and_a_failed_attempt_of_a_landed_one_breaks_nothing(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / folder.name)
    tried = an_order(1, OrderPhase.LANDED, attempts=(an_attempt(1, passed=False), an_attempt(2)))
    runs = (RunEntry(run_id=folder.name, attempts=tried.runs[0].attempts),)
    tried = tried.model_copy(update={"runs": runs})
    save_state(tmp_path, a_state(tried, an_order(2), state=BuildPhase.FAILED))

    story = read_story(tmp_path, 1_000)

    assert [(order.id, order.state, order.is_done) for order in story.orders] == [
        ("WO-01", "landed", True),
        ("WO-02", "pending", False),
    ]
    assert (story.outcome, story.is_well, story.failed) == ("1 of 2 work orders have landed", False, ())
    first, second = ElementTree.fromstring(write_junit(story))
    assert (first.get("failures"), second.get("skipped")) == ("0", "1")
    assert int(first.get("skipped") or 0) == 2
    assert "WO-02" in write_markdown(story)


def order(number: int, *on: int) -> Order:
    names = tuple(f"WO-{name:02d}" for name in on)
    contract = WorkOrder.model_validate(makes(number, f"{number}.py") | {"depends_on": names})
    return Order(contract.id, contract.title, "pending", "", "", contract, (), {})


def test_the_graph_goes_from_left_to_right_and_leaves_out_what_follows() -> None:
    drawn = graph([order(1), order(2, 1), order(3, 1), order(4, 1, 2, 3)])
    columns = [box.x for box in drawn.boxes]
    assert columns[0] < columns[1] == columns[2] < columns[3]
    assert drawn.boxes[1].y < drawn.boxes[2].y
    assert len(drawn.lines) == 4
    assert all(x1 < x2 for x1, _, x2, _ in drawn.lines)
    assert max(x2 for _, _, x2, _ in drawn.lines) < drawn.width


def test_the_timeline_has_a_bar_for_each_run(story: Story) -> None:
    drawn = timeline(story.orders)
    assert drawn is not None
    (bar,) = drawn.bars
    assert bar.x + bar.width < drawn.width
    assert timeline([order(1)]) is None


def test_the_command_writes_what_is_asked_for(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, results = tmp_path / "new" / "r.html", tmp_path / "r.xml"
    assert main(["report", "--out", str(folder.parent), "--html", str(page), "--junit", str(results)]) == 0
    assert capsys.readouterr().out == f"written: {page}\nwritten: {results}\n"
    assert page.read_text().startswith("<!doctype html>")
    assert main(["report", "--out", str(folder)]) == 2
    assert "no file is named" in capsys.readouterr().err
    with pytest.raises(WorkorderError, match="holds no build and no run"):
        read_story(tmp_path, 1_000)
