"""`python -m factory build`, `status`, `reset` as a user meets them: exit codes, the screen, signals."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from factory.contract.strict_json import JsonObject, JsonValue
from tests.support import starts
from tests.support.answers import sleeping_gate
from tests.support.builds import write_plan, writes
from tests.support.repositories import (
    VERIFY_PASSES,
    commit_files,
    files_of,
    git,
    make_repo,
    write_files,
)
from tests.support.screens import Screen

ROOT = Path(__file__).parents[2]

_MODEL = """
import hashlib, json, os, pathlib, re, sys, time
here = pathlib.Path(__file__).parent
name = re.search(r'"id": "(WO-[0-9]+)"', sys.stdin.read())[1]
with open(here / "calls", "a") as calls:
    calls.write(name + chr(10))
again = (here / "calls").read_text().split().count(name) > 1
does = json.loads((here / "does.json").read_text()).get(name, "writes")
if does == "hesitates":
    does = "sleeps" if again else "prose"
if does == "sleeps":
    (here / "part").write_text(str(os.getpid()))
    (here / "part").rename(here / "pid")
    time.sleep(600)
if does == "fails":
    sys.exit("no credit left")
if does == "prose":
    print("prose")
else:
    said = ["Is " + name + " right?"] if does == "remarks" else []
    write = {"path": name + ".txt", "base_sha256": hashlib.sha256(b"").hexdigest(), "content": does + chr(10)}
    print(json.dumps({"summary": "Did it.", "writes": [write], "remarks": said}))
"""


class User:
    """Somebody at a shell, with a repository, a plan of two work orders, and a program as model."""

    def __init__(self, tmp_path: Path, *orders: Mapping[str, JsonValue]) -> None:
        self.repo = make_repo(tmp_path / "repo", VERIFY_PASSES)
        self.plan = write_plan(tmp_path / "plan", orders or (writes("WO-01.txt"), writes("WO-02.txt")))
        self.out = tmp_path / "out"
        self.model = tmp_path / "model"
        self.model.mkdir()
        (self.model / "answer.py").write_text(_MODEL)
        self.llm = f"command:{shlex.join([sys.executable, '-I', '-S', str(self.model / 'answer.py')])}"
        self.teach()

    def teach(self, **does: str) -> None:
        """What the model does for a work order, such as WO_01="prose"; else it writes what is asked for."""
        answers = {name.replace("_", "-"): what for name, what in does.items()}
        (self.model / "does.json").write_text(json.dumps(answers))

    def command(self, *options: str, command: str = "build") -> list[str]:
        return [
            *(sys.executable, "-m", "factory", command, "--repo", str(self.repo)),
            *("--plan", str(self.plan), "--out", str(self.out), "--llm", self.llm, *options),
        ]

    def builds(self, *options: str, command: str = "build") -> "subprocess.CompletedProcess[str]":
        return starts.run(self.command(*options, command=command), cwd=ROOT)

    def starts(self, *options: str) -> starts.Started:
        """A build whose model sleeps by now."""
        nowhere = subprocess.DEVNULL
        build = starts.start(self.command(*options), cwd=ROOT, stdout=nowhere, stderr=nowhere)
        waited_for(self.model / "pid")
        return build

    def status(self) -> str:
        """What `factory status` prints; it must succeed."""
        done = self.asks("status")
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def asks(self, command: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        words = [sys.executable, "-m", "factory", command, "--out", str(self.out), *arguments]
        return starts.run(words, cwd=ROOT)

    def calls(self) -> list[str]:
        """The work orders that the model was asked for, in order."""
        calls = self.model / "calls"
        return calls.read_text().split() if calls.exists() else []


def called(argv: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def waited_for(path: Path) -> int:
    """The number in a file, once it is there."""
    end = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < end, f"{path} never came"
        time.sleep(0.01)
    return int(path.read_text())


# Endings


def test_a_success_and_the_same_again(tmp_path: Path, temporary_files: Path) -> None:
    user = User(tmp_path)

    # Starts that share nothing with others.
    first = called(user.command("--jobs", "2"))
    status = user.status()
    again = called(user.command("--quiet", command="resume"))

    assert first.returncode == 0, first.stderr
    assert first.stdout == f"2 of 2 work orders have landed on main\n  artifacts: {user.out}\n"
    log = first.stderr.splitlines()
    tip = git(user.repo, "rev-parse", "main")
    assert log[0].startswith("building 2 work orders on main, base ")
    assert log.index("WO-01: attempt 1, generating") < log.index("WO-01: attempt 1, testing")
    assert "WO-01: attempt 1, proving: acceptance once more" in log
    assert f"WO-02: landed as {tip[:12]}" in log
    assert log[-1] == f"to show it: factory report --out {user.out} --html report.html"
    assert "\x1b" not in first.stderr
    assert status.startswith("complete, last change")
    assert f"WO-02  landed  1         {tip[:12]}" in status
    assert (again.returncode, again.stdout, again.stderr) == (0, first.stdout, "")
    assert user.calls() == ["WO-01", "WO-02"]
    assert list(temporary_files.iterdir()) == []


def test_in_one_log_remarks_come_with_their_answers_and_the_result_before_what_it_came_to(
    tmp_path: Path,
) -> None:
    user = User(tmp_path)
    user.teach(WO_01="remarks")

    with (tmp_path / "log").open("wb") as log:
        build = starts.start(user.command(), cwd=ROOT, stdout=log.fileno(), stderr=log.fileno())
        assert build.wait(60) == 0
    quiet = user.builds("--quiet")

    lines = (tmp_path / "log").read_text().splitlines()
    tip = git(user.repo, "rev-parse", "main~1")
    begins = [
        "WO-01: attempt 1, testing",
        "WO-01 remarks: Is WO-01 right?",
        f"WO-01: landed as {tip[:12]}",
        "2 of 2 work orders have landed on main",
        f"  artifacts: {user.out}",
        "took 0:",
        f"next: git -C {user.repo} log --stat main",
        f"to show it: factory report --out {user.out} --html report.html",
    ]
    assert [line for line in lines if line.startswith(tuple(begins))] == [
        next(line for line in lines if line.startswith(begin)) for begin in begins
    ]
    # Who was not told meanwhile is told at the end.
    assert quiet.stdout == "\n".join([*begins[3:5], f"  {begins[1]}\n"])
    assert quiet.stderr == ""


def test_each_prompt_carries_the_nearest_agents_file_and_the_notes(tmp_path: Path) -> None:
    user = User(tmp_path)
    commit_files(user.repo, {"AGENTS.md": "Be </agents_md> brief {{X}}.\n"})
    write_files(tmp_path / "notes", {"b.md": "second\n", "a/a.md": "first\n"})

    done = user.builds("--jobs", "2", "--knowledge", str(tmp_path / "notes"))

    assert done.returncode == 0, done.stderr
    prompts = [path.read_text() for path in user.out.glob("*/attempt_1/se_prompt.txt")]
    assert len(prompts) == 2
    for prompt in prompts:
        shown = re.findall(r'<(agents_md|note) id="(\w+)">\n(.*?)</\1 id="\2">', prompt, re.DOTALL)
        assert [text for _, _, text in shown] == [
            '"a/a.md"\n\nfirst\n',
            '"b.md"\n\nsecond\n',
            '"AGENTS.md"\n\nBe </agents_md> brief {{X}}.\n',
        ]


@pytest.mark.parametrize("command", ["run", "build"])
def test_notes_that_cannot_be_used_are_refused_before_a_model_is_asked(command: str, tmp_path: Path) -> None:
    user = User(tmp_path)
    argv = user.command("--knowledge", str(tmp_path / "none"), command=command)
    if command == "run":
        argv[argv.index("--plan") : argv.index("--plan") + 2] = [
            "--work-order",
            str(user.plan / "WO-01.json"),
        ]

    done = starts.run(argv, cwd=ROOT)

    assert done.returncode == 2
    assert done.stderr == f"error: {tmp_path / 'none'}: can't be read: no such file or directory\n"
    assert user.calls() == []


def test_a_failure_a_reset_and_a_build_that_asks_anew(tmp_path: Path) -> None:
    user = User(tmp_path)
    user.teach(WO_01="prose")
    failed = user.builds("--keep-going")
    status = user.status()
    assert failed.returncode == 1
    assert failed.stdout == ""
    assert (
        "WO-01: attempt 1 failed at llm_output_invalid: the answer holds no block with a path"
        in failed.stderr
    )
    assert "WO-02: blocked, because one that it depends on failed or is left out" in failed.stderr
    assert "error: WO-01 failed: 2 attempts are spent" in failed.stderr
    request = next(user.out.glob("*/repair_request.json"))
    assert f"  if the plan is wrong: planner revise --failure {request} …" in failed.stderr
    # Who fails is told first, and what all of it came to at the end.
    ends = [
        "error: WO-01 failed: 2 attempts are spent",
        f"  to have the model asked anew: factory reset --out {user.out}",
        "landed: 0 of 2; not: WO-01 (failed), WO-02 (blocked)",
        "took 0:0",
        f"to show it: factory report --out {user.out} --html report.html",
    ]
    lines = failed.stderr[failed.stderr.index("error: ") :].splitlines()
    assert [end for line in lines for end in ends if line.startswith(end)] == ends
    assert status.startswith("failed, last change")
    assert "       llm_output_invalid (model_defect): the answer holds no block with a path" in status

    user.teach()
    reset = user.asks("reset")
    limited = user.builds("--max-tokens", "40000")
    done = user.builds()

    assert (reset.returncode, reset.stderr) == (0, "")
    assert reset.stdout.startswith("WO-01: 2 answers retired\n")
    # What was spent before counts, although it is asked anew.
    spent = next(line for line in status.splitlines() if line.startswith("spent")).replace(",", "").split()
    assert limited.returncode == 5
    assert f"{int(spent[1]) + int(spent[4]):,} of 40,000 are used" in limited.stderr
    assert done.returncode == 0, done.stderr
    assert user.calls() == ["WO-01", "WO-01", "WO-01", "WO-02"]
    assert user.asks("reset", "WO-01").returncode == 2


def a_draft(user: User) -> None:
    write_files(user.repo, {"draft\x1b[2J": "mine\n"})


def no_plan(user: User) -> None:
    user.plan = user.plan / "missing"


def an_unknown_model(user: User) -> None:
    user.llm = "gtp-5"


def a_failing_provider(user: User) -> None:
    user.teach(WO_01="fails")


def an_unmet_precondition(user: User) -> None:
    write_plan(user.plan, [writes("WO-01.txt", preconditions=[{"kind": "file_exists", "path": "a.py"}])])


def a_missing_program(user: User) -> None:
    commit_files(user.repo, {"scripts/verify.sh": "no-such-program\n"})


def a_sleeping_model(user: User) -> None:
    user.teach(WO_01="sleeps")


@pytest.mark.parametrize(
    ("happens", "options", "exit_code", "message", "state"),
    [
        (a_draft, (), 2, r"?? draft\x1b[2J", "interrupted"),
        (no_plan, (), 2, "missing", None),
        (an_unknown_model, (), 2, "--llm gtp-5: no such model", "interrupted"),
        (
            lambda _: None,
            ("--max-cost-usd", "5"),
            2,
            "--max-tokens, or give the price with --price",
            "interrupted",
        ),
        (a_failing_provider, (), 3, "no credit left", "interrupted"),
        (an_unmet_precondition, (), 4, "`a.py` does not exist", "failed"),
        (a_sleeping_model, ("--deadline", "1"), 5, "the deadline has come", "interrupted"),
        (lambda _: None, ("--max-tokens", "1000"), 5, "again with a higher limit", "interrupted"),
        (a_missing_program, (), 8, "the program no-such-program is not installed", "interrupted"),
    ],
)
def test_every_other_ending_has_its_exit_code_and_its_words(
    tmp_path: Path,
    happens: Callable[[User], None],
    options: tuple[str, ...],
    exit_code: int,
    message: str,
    state: str | None,
) -> None:
    user = User(tmp_path)
    happens(user)
    before = files_of(user.repo)

    told = tmp_path / "told"

    done = user.builds(*options, "--quiet", "--notify", f"sh -c 'echo $WORKORDER_ENDED_EXIT_CODE >{told}'")
    status = user.asks("status")

    assert done.returncode == exit_code, done.stderr
    assert told.read_text() == f"{exit_code}\n"
    assert message in done.stderr
    assert "error: " in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert files_of(user.repo) == before
    if state is None:
        assert status.returncode == 2
        assert "holds no build" in status.stderr
    else:
        assert status.stdout.startswith(state)


def test_a_damaged_state_is_told_by_every_command_and_can_be_derived_again(tmp_path: Path) -> None:
    user = User(tmp_path, writes("WO-01.txt"))
    user.out.mkdir()
    (user.out / "state.json").write_text('{"state": "dancing"}')

    factory = (sys.executable, "-m", "factory")
    really = [called([*factory, command, "--out", str(user.out)]) for command in ("status", "reset")]
    answers = [user.builds(), *really]

    for done in answers:
        assert done.returncode == 7
        assert "--rebuild-state" in done.stderr
    assert user.builds("--rebuild-state").returncode == 0
    assert user.status().startswith("complete")


def test_commands_on_a_directory_without_a_build(tmp_path: Path) -> None:
    user = User(tmp_path)

    for command in ("status", "reset"):
        done = user.asks(command)
        assert done.returncode == 2
        assert "hint: name the directory that `factory build` got as --out" in done.stderr
    assert not user.out.exists()


# For programs


def test_events_are_lines_of_json_and_numbered(tmp_path: Path) -> None:
    user = User(tmp_path)

    done = user.builds("--json")
    status = user.asks("status", "--json")
    refused = called([sys.executable, "-m", "factory", "show", str(user.out)])

    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert [json.loads(line) for line in (user.out / "events.jsonl").read_text().splitlines()[1:]] == events
    assert (events[0]["after"], events[-1]["after"]) == ("running", "complete")
    assert done.stderr.startswith("2 of 2 work orders have landed")
    document: JsonObject = json.loads(status.stdout)
    assert (document["state"], document["running"]) == ("complete", False)
    assert document["spent"] == document["useful"]
    assert f"`factory status --out {user.out}`" in refused.stderr


def test_a_reader_that_leaves_does_not_end_the_build(tmp_path: Path) -> None:
    user = User(tmp_path)
    build = starts.start(user.command("--json"), cwd=ROOT)
    assert build.stdout is not None
    assert build.stderr is not None
    build.stdout.readline()
    build.stdout.close()

    errors = build.stderr.read().decode()

    assert (build.wait(30), errors) == (
        0,
        f"2 of 2 work orders have landed on main\n  artifacts: {user.out}\n",
    )
    build.stderr.close()


# Signals


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_build_which_then_goes_on(
    tmp_path: Path, temporary_files: Path, number: signal.Signals, exit_code: int
) -> None:
    # given a build whose second work order never gets an answer
    user = User(tmp_path)
    user.teach(WO_02="sleeps")
    build = user.starts()
    assert user.status().startswith("running, last change")
    assert "another run is at work in this output directory" in user.asks("reset", "WO-02").stderr
    # when
    build.send_signal(number)
    # then
    assert build.wait(20) == exit_code
    assert user.status().startswith("interrupted")
    assert list(temporary_files.iterdir()) == []
    assert git(user.repo, "status", "--porcelain") == ""
    user.teach()
    assert user.builds().returncode == 0
    assert user.calls() == ["WO-01", "WO-02", "WO-02"]


def test_a_build_that_was_killed_is_told_and_goes_on(tmp_path: Path) -> None:
    user = User(tmp_path)
    user.teach(WO_02="hesitates")
    build = user.starts()

    build.kill()
    build.wait()

    killed = user.status()
    assert killed.startswith("killed: no process is at work; build again to go on")
    # The call that the kill has broken off may be paid.
    assert re.search(r"^unknown up to [\d,]+ tokens in", killed, re.MULTILINE)
    limited = user.builds("--max-tokens", "1")
    assert limited.returncode == 5
    assert "by a call without an answer" in limited.stderr
    user.teach()
    assert user.builds().returncode == 0
    assert user.calls() == ["WO-01", "WO-02", "WO-02", "WO-02"]
    # What was paid before the kill is told before and after, once: WO-01's answer, and the prose.
    spent, wasted = re.findall(r"^(?:spent|wasted) +(.+)$", killed, re.MULTILINE)
    assert not spent.startswith("0 tokens")
    assert f"wasted  {wasted}\n" in user.status()
    assert not wasted.startswith("0 tokens")


# On a terminal


def test_a_terminal_shows_each_work_order_and_gets_its_cursor_back(tmp_path: Path) -> None:
    first = writes("WO-01.txt", title="[bold]Title[/] \x1b[2J")
    # Long enough to be seen.
    first["acceptance_commands"] = ["sh -c 'sleep 1; test -f WO-01.txt'"]
    user = User(tmp_path, first, writes("WO-02.txt"))
    screen = Screen(user.command("--price", "1,2", "--max-tokens", "900000", "--notify", "bell"))

    text = screen.text()

    assert screen.process.wait(20) == 0
    assert "[bold]Title[/] \\x1b[2J" in text
    assert "\x1b[36mtesting\x1b[0m" in text
    assert "acceptance 1/1 sh -c 'sleep 1; test -f WO-01.txt'" in text
    assert "about 1 min left" in text or "less than 1 min left" in text
    assert "of 900,000 tokens" in text
    assert text.count("\a") == 1
    assert "WO-01: landed as " in text
    last = text[text.rindex("\x1b[1A") :]
    assert last.count("\x1b[32mlanded\x1b[0m") == 2
    assert "2 of 2 landed" in last
    assert "\x1b[?25h" in last


def test_a_simple_terminal_gets_plain_lines(tmp_path: Path) -> None:
    user = User(tmp_path, writes("WO-01.txt"))
    screen = Screen(user.command(), {"TERM": "dumb"})

    text = screen.text()

    assert screen.process.wait(20) == 0
    assert "\x1b" not in text
    assert "WO-01: attempt 1, generating" in text


def test_a_first_signal_restores_and_a_second_leaves_at_once(tmp_path: Path) -> None:
    # given a build in which git itself never ends, which no signal to the build can change
    user = User(tmp_path)
    slow = sleeping_gate(tmp_path / "filter.py")
    git(user.repo, "config", "filter.slow.clean", f"test -e {tmp_path}/filter.py.pid && cat || exec {slow}")
    commit_files(user.repo, {".gitattributes": "*.txt filter=slow\n"})
    screen = Screen(user.command())
    child = waited_for(tmp_path / "filter.py.pid")
    # when
    screen.process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert screen.process.poll() is None
    screen.process.send_signal(signal.SIGINT)
    # then
    assert screen.process.wait(5) == 130
    os.kill(child, signal.SIGKILL)
    text = screen.text()
    assert "left at once: throw-away checkouts may remain" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")
    # and the next build removes what was left, and finishes
    done = user.builds()
    assert done.returncode == 0, done.stderr
    assert user.calls() == ["WO-01", "WO-02"]


def test_a_full_disk_behind_standard_output_is_told(tmp_path: Path) -> None:
    user = User(tmp_path)
    user.builds()

    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "factory", "status", "--out", str(user.out)],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )

    assert (done.returncode, done.stderr) == (8, b"error: no space left on device\n")


@pytest.mark.parametrize("arguments", [["--help"], ["build", "--help"], ["status"], ["reset"], ["show"]])
def test_commands_that_ask_no_model_import_little(tmp_path: Path, arguments: list[str]) -> None:
    forbidden = {"openai", "httpx", "langgraph", "rich", "genai_prices"}
    if arguments[-1] == "--help":
        forbidden |= {"pydantic", "importlib.metadata"}
    else:
        arguments = [*arguments, *([] if arguments == ["show"] else ["--out"]), str(tmp_path)]
    program = (
        "import sys\nfrom factory.cli import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
        f"found = {forbidden!r} & set(sys.modules)\nassert not found, found\n"
    )

    done = called([sys.executable, "-c", program])

    assert (done.returncode, "assert" in done.stderr) == (0, False), done.stderr
