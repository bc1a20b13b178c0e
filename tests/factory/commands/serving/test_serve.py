"""The server, asked as browsers and as strangers ask."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from factory.builds.state.file import require_state, save_state
from factory.cli import main
from factory.people.hints import hints_of
from factory.people.skips import skips_of
from factory.system.process.holder import end_holder
from tests.support.recorded_builds import write_build
from tests.support.repositories import git, make_repo
from tests.support.served import Served, served


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two builds of a repository, and what is no build."""
    folder = tmp_path_factory.mktemp("serve")
    repo = make_repo(folder / "repo")
    for name in ("one", "two"):
        write_build(folder / "builds" / name, repo / ".git")
    (folder / "builds" / "ledger").mkdir()
    (folder / "secret.txt").write_text("secret")
    (folder / "builds" / "one" / "link.txt").symlink_to(folder / "secret.txt")
    return folder


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[Served]:
    with served(root / "builds", root / "repo") as started:
        yield started


@pytest.fixture
def visitor(server: Served) -> Served:
    server.enter()
    return server


def form_of(visitor: Served, act: str, **fields: str) -> dict[str, str]:
    page = visitor.ask("/b/one/").text
    token = re.search(r'name="token" value="([^"]+)"', page)
    plan = re.search(r'name="plan" value="([^"]+)"', page)
    assert token
    return {"token": token[1], "act": act, "plan": plan[1] if plan else "", **fields}


def test_strangers_learn_nothing(visitor: Served, root: Path) -> None:
    for path in ("/", "/b/one/", "/b/one/state.json", "/b/one/events", "/nothing"):
        for headers in ({"Cookie": ""}, {"Cookie": "workorder=1"}, {"Host": f"evil.example:{visitor.port}"}):
            answer = visitor.ask(path, **headers)
            assert answer.status in (403, 421)
            assert "WO-0" not in answer.text
    assert visitor.ask("/?token=wrong", Cookie="").status == 403
    assert visitor.ask("/b/one/act", {"act": "stop"}, Cookie="").status == 403


def test_it_lists_builds_and_shows_one_with_its_files(visitor: Served) -> None:
    listed = visitor.ask("/").text
    assert re.findall(r'href="/b/([^"]+)/"', listed) == ["one", "two"]
    page = visitor.ask("/b/one/")
    assert page.headers["content-security-policy"] == "frame-ancestors 'none'"
    assert page.headers["x-content-type-options"] == "nosniff"
    links = set(re.findall(r'href="([^"#/][^"]*)"', page.text))
    assert "run2/attempt_1/acceptance_1.output.txt" in links
    for link in links:
        answer = visitor.ask(f"/b/one/{link}")
        assert answer.status in (200, 307), link
    output = visitor.ask("/b/one/run2/attempt_1/acceptance_1.output.txt")
    assert output.headers["content-type"] == "text/plain; charset=utf-8"
    assert "sandbox" in output.headers["content-security-policy"]
    assert "<script>" in output.text
    assert 'href="./attempt_1/"' in visitor.ask("/b/one/run2/").text


@pytest.mark.parametrize(
    "path",
    [
        "/b/three/",
        "/b/../",
        "/b/%2e%2e/",
        "/b/ledger/",
        "/b/one/../../secret.txt",
        "/b/one/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/b/one//etc/passwd",
        "/b/one/link.txt",
        "/b/one/run9",
        "/b/one/a%00b",
    ],
)
def test_nothing_outside_of_the_builds_is_shown(visitor: Served, path: str) -> None:
    answer = visitor.ask(path)
    assert answer.status == 404, answer
    assert "secret" not in answer.text.replace("secret.txt", "")


def test_a_forged_form_changes_nothing(visitor: Served, root: Path) -> None:
    form = form_of(visitor, "skip", order="WO-02", text="for fun")
    assert visitor.ask("/b/one/act", form, Origin="http://evil.example").status == 403
    assert visitor.ask("/b/one/act", form, Origin="null").status == 403
    assert visitor.ask("/b/one/act", form | {"token": "guessed"}).status == 403
    assert visitor.ask("/b/one/act?act=skip&order=WO-02&text=x").status == 404
    assert visitor.ask("/b/one/act", form | {"text": "x" * 100_000}).status == 404
    assert skips_of(root / "repo" / ".git") == {}


def test_buttons_do_what_commands_do(visitor: Served, root: Path) -> None:
    out, git_dir = root / "builds" / "one", root / "repo" / ".git"
    contract = require_state(out).order("WO-02").contract

    plan = form_of(visitor, "approve")["plan"]

    def press(act: str, text: str = "", order: str = "WO-02") -> str:
        answer = visitor.ask("/b/one/act", form_of(visitor, act, order=order, text=text, plan=plan))
        assert (answer.status, answer.headers["location"]) == (303, "./")
        said = re.search(
            r'<p class="said (good|bad)" role="alert">(.*?)</p>', visitor.ask("/b/one/").text, re.S
        )
        assert said
        return f"{said[1]}: {said[2]}"

    def offered(order: str) -> set[str]:
        page = visitor.ask("/b/one/").text
        return set(
            re.findall(rf'name="order" value="{order}"><input type="hidden" name="act" value="(\w+)"', page)
        )

    assert press("hint", "say <b>more</b>").startswith("good: WO-02: attempt 2 is told")
    assert [hint.text for hint in hints_of(out, contract)] == ["say <b>more</b>"]
    assert "say &lt;b&gt;more&lt;/b&gt;" in visitor.ask("/b/one/").text
    assert press("hint", " ").startswith("bad: TEXT: has 0 characters")
    assert press("hint", "too late", "WO-01").startswith("bad: ")
    elsewhere = str(root / "builds" / "two" / "run2")
    assert press("hint", "elsewhere", elsewhere).startswith("bad: ")
    assert press("skip", "elsewhere", elsewhere).startswith("bad: ")
    assert hints_of(root / "builds" / "two", contract) == ()
    # What nobody has tried yet, or is left out, has no next attempt.
    assert offered("WO-02") == {"hint", "retry", "skip"}
    assert offered("WO-03") == {"skip"}
    assert press("skip", "not now").startswith("good: WO-02: left out")
    assert [skip.reason for skip in skips_of(git_dir).values()] == ["not now"]
    assert press("unskip").startswith("good: WO-02: the next build attempts it")
    assert press("retry").startswith("good: WO-02: gets attempt 2")
    assert [hint.text for hint in hints_of(out, contract)] == ["say <b>more</b>", ""]
    assert "Try it once more." in visitor.ask("/b/one/").text
    assert plan
    assert "Approve the plan" in visitor.ask("/b/one/").text
    assert press("approve", order="").startswith("good: approved: WO-01, WO-02, WO-03")
    assert "Approve the plan" not in visitor.ask("/b/one/").text
    assert git(root / "repo", "tag").startswith("workorder/approved/")
    assert press("approve", order="").startswith("good: all of the plan is approved already")
    assert press("stop", order="").startswith("bad: no build is running here")
    assert press("explode").startswith("bad: act: there is no")


def test_it_tells_at_once_that_something_has_changed(visitor: Served, root: Path) -> None:
    connection = HTTPConnection("127.0.0.1", visitor.port, timeout=20)
    connection.request("GET", "/b/two/events", headers={"Cookie": visitor.cookie})
    answer = connection.getresponse()
    assert answer.getheader("content-type", "").startswith("text/event-stream")
    assert answer.readline() == b": hello\n"
    assert answer.readline() == b"\n"
    out = root / "builds" / "two"
    save_state(out, require_state(out))
    assert answer.readline() == b"event: changed\n"
    connection.close()


HOLDER = """
import sys, time
from pathlib import Path
from factory.system.files.lock import exclusive
with exclusive(Path(sys.argv[1]), "factory build"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_only_the_process_that_holds_the_lock_is_asked_to_end(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert end_holder(lock, "factory build") is None
    words = [sys.executable, "-c", HOLDER, str(lock)]
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    with subprocess.Popen(words, cwd=Path(__file__).parents[4], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        written = lock.read_bytes()
        assert end_holder(lock, "factory reset") is None
        lock.write_text(json.dumps({"pid": bystander.pid, "purpose": "factory build"}))
        assert end_holder(lock, "factory build") is None
        lock.write_bytes(written)
        assert (holder.poll(), bystander.poll()) == (None, None)
        assert end_holder(lock, "factory build") == holder.pid
        assert holder.wait(20) == -15
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()
    assert end_holder(lock, "factory build") is None


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert main(["serve", "--out", str(tmp_path)]) == 2
    assert "pip install 'workorder[ui]'" in capsys.readouterr().err
