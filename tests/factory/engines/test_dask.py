"""A build on workers in other processes: what lands is the same, and what fails there is named."""

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the extra workorder[dask] is not installed")

import dask
import psutil

from factory.attempt.exit_codes import ExitCode
from factory.cli import main
from factory.contract.strict_json import JsonObject
from factory.engines.dask.cluster import WorkerFacts, require_certificates
from factory.engines.dask.opened import opened
from factory.engines.dask.preparation import Usable
from factory.engines.dask.trials import DaskTrials, Patience, no_worker
from factory.engines.message import peer, unpacked
from factory.engines.name import EngineName, EngineProblem
from factory.engines.needs import needs_of
from factory.llm.port import Request
from factory.report.show import show_run
from factory.system.process.stop import Stopped
from factory.trials.memory import TRIALS_FOLDER, RememberedTrials
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene, writes
from tests.support.engines import BAD, Engine, an_engine
from tests.support.repositories import VERIFY_PASSES, Files, git, make_repo

APP = "def double(a):\n    return a * 2\n"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with an_engine(tmp_path_factory.mktemp("engine"), "left", "right") as engine:
        yield engine


@pytest.fixture
def trials(engine: Engine) -> Iterator[DaskTrials]:
    with opened(EngineName("file", str(engine.file)), insecure=False, progress=lambda _text: None) as found:
        yield DaskTrials(found.cluster, Patience(nobody_seconds=3.0, trial_seconds=60.0))


def reply(order_id: str, attempt: int, _request: Request) -> str:
    name = order_id.lower().replace("-", "_")
    is_wrong = attempt == 1
    return a_proposal({f"{name}.py": APP.replace("2", "3") if is_wrong else APP})


def scene(folder: Path, files: Files = VERIFY_PASSES) -> BuildScene:
    """A build of a work order that needs a second attempt."""
    command = 'python -c "import wo_01; assert wo_01.double(3) == 6"'
    order: JsonObject = {"allowed_files": ["wo_01.py"], "acceptance_commands": [command]}
    return BuildScene(make_repo(folder / "repo", files), [order], reply)


def await_word(engine: Engine, name: str, word: str, seconds: float = 30.0) -> None:
    """Wait until a process has said so."""
    end = time.monotonic() + seconds
    while word not in engine.log(name):
        assert time.monotonic() < end, engine.log(name)
        time.sleep(0.1)


def tried(built: BuildScene) -> list[JsonObject]:
    return [event for path in built.out.glob("*/events.jsonl") for event in tried_in(path.parent)]


def tried_in(run: Path) -> list[JsonObject]:
    lines = (run / "events.jsonl").read_text().splitlines()
    return [event for line in lines if (event := json.loads(line)).get("event") == "tried"]


def landed(built: BuildScene) -> str:
    """Everything of the commits but the moments at which they were made."""
    return git(built.repo, "log", "--format=%T %an %ae %B")


def test_what_lands_is_the_same_and_each_trial_names_its_worker(
    tmp_path: Path, engine: Engine, trials: DaskTrials
) -> None:
    here, there = scene(tmp_path / "here"), scene(tmp_path / "there")
    git(tmp_path, "clone", "--quiet", "--bare", str(there.repo), "bare.git")
    trials.remote = f"file://{tmp_path}/bare.git"
    base, untold = git(there.repo, "rev-parse", "HEAD"), list[str]()
    trials.progress = untold.append
    asked = {"mutants": 1, "second_pass": True, "red_probe": True}

    assert here.build(**asked).ended.exit_code == 0
    built = there.build(trials=trials, **asked)

    assert built.ended.exit_code == 0, built.ended
    assert landed(there) == landed(here)
    names = {path.relative_to(here.out) for path in here.out.glob("*/attempt_1/**/*")}
    assert {path.relative_to(there.out) for path in there.out.glob("*/attempt_1/**/*")} == names
    (said,) = there.out.glob("*/attempt_1/failure_brief.json")
    assert "AssertionError" in said.read_text()
    events = tried(there)
    assert tried(here) == []
    assert {event["trial"] for event in events} == {"probe", "examine", "repeat", "mutant"}
    assert {event["worker"] for event in events} <= {"left", "right"}
    assert all(isinstance(event["waited_seconds"], float) for event in events)
    (run,) = (path.parent for path in there.out.glob("*/attempt_2"))
    assert f"examine on {next(iter({event['worker'] for event in tried_in(run)}))}," in show_run(run)
    fetched = engine.folder.glob(f"place-*/*/*/.git/refs/workorder/fetched/{base}")
    assert len(list(fetched)) >= 1
    assert untold == []


def test_all_workers_get_ready_while_one_verifies_the_base(
    tmp_path: Path, trials: DaskTrials, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, Any]] = []
    submit = trials.cluster.submit

    def noting(function: Any, arguments: Any, key: str, needs: Any, workers: Any) -> Any:
        future = submit(function, arguments, key, needs, workers)
        if function.__name__ == "prepare":
            asked.append((*workers, future))
        return future

    monkeypatch.setattr(trials.cluster, "submit", noting)
    built = scene(tmp_path, {**VERIFY_PASSES, "scripts/verify.sh": "sleep 2\n"})

    assert built.build(trials=trials).ended.exit_code == 0

    said = {worker: unpacked(trials.cluster.result(future), "")[0].outcome for worker, future in asked}
    assert said == {worker.address: "supplied" for worker in trials.cluster.workers()}


def test_a_build_goes_on_where_only_the_gates_of_a_landing_are_left(tmp_path: Path, engine: Engine) -> None:
    def reply(order_id: str, _attempt: int, _request: Request) -> str:
        return a_proposal({f"{order_id}.txt": "x\n"})

    def build() -> list[JsonObject]:
        # Each has workers of its own to ask, as a build that is started again has.
        name = EngineName("file", str(engine.file))
        with opened(name, insecure=False, progress=lambda _text: None) as trials:
            remembered = RememberedTrials(trials, scene.out / TRIALS_FOLDER)
            assert scene.build(trials=remembered, jobs=2).ended.exit_code == 0
        (gates,) = (event for path in scene.out.glob("*/landing") for event in tried_in(path))
        return [gates, *tried(scene)]

    orders = [writes(f"WO-{number:02d}.txt", depends_on=[]) for number in (1, 2)]
    scene = BuildScene(make_repo(tmp_path / "repo", VERIFY_PASSES), orders, reply)
    base = git(scene.repo, "rev-parse", "HEAD")
    gates, *_ = build()
    shutil.rmtree(scene.out / TRIALS_FOLDER / str(gates["name"]))
    git(scene.repo, "reset", "--quiet", "--hard", base)
    (scene.out / "state.json").unlink()

    again, *attempts = build()

    assert again.get("remembered") is None
    assert [bool(event.get("remembered")) for event in attempts].count(True) == 2


def test_two_builds_share_an_engine_and_one_goes_on_without_a_worker_that_is_killed(
    tmp_path: Path, engine: Engine, trials: DaskTrials
) -> None:
    first, second = (scene(tmp_path / name, {**VERIFY_PASSES, "other.txt": "x\n"}) for name in "12")
    ended, said = list[int](), list[str]()
    trials.remote, trials.progress = f"file://{tmp_path}/none.git", said.append
    builds = [
        threading.Thread(target=lambda s=s: ended.append(s.build(trials=trials).ended.exit_code))
        for s in (first, second)
    ]
    for thread in builds:
        thread.start()
    while not first.model.asked:
        time.sleep(0.05)
    engine.kill("left")
    for thread in builds:
        thread.join()

    assert ended == [0, 0]
    assert git(first.repo, "log", "--format=%T") == git(second.repo, "log", "--format=%T")
    assert any("right gets the history from here: " in line for line in said)
    assert first.model.asked == [("WO-01", 1), ("WO-01", 2)]


def test_no_worker_with_the_sandbox_is_named_before_anybody_is_asked(
    tmp_path: Path, trials: DaskTrials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factory.engines.dask.trials.needs_of", lambda *_: {"sandbox-vault": 1.0})
    refused = scene(tmp_path)
    impatient = DaskTrials(trials.cluster, Patience(nobody_seconds=0.2))

    ended = refused.build(trials=impatient).ended

    assert ended.exit_code == ExitCode.ENVIRONMENT
    assert "sandbox-vault" in ended.message
    assert "right lacks sandbox-vault" in ended.message
    assert refused.model.asked == []


def test_a_worker_that_lies_or_hangs_is_named(
    tmp_path: Path, engine: Engine, trials: DaskTrials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factory.engines.dask.trials.needs_of", lambda *_: {BAD: 1.0})
    engine.start_bad_worker()
    patient = DaskTrials(trials.cluster, Patience(nobody_seconds=60.0, trial_seconds=1.0))

    lied, hung = (scene(tmp_path / name) for name in ("lied", "hung"))
    ended = [built.build(trials=patient).ended for built in (lied, hung)]
    engine.kill(BAD)

    assert [end.exit_code for end in ended] == [ExitCode.ENVIRONMENT] * 2
    assert all(BAD in end.message for end in ended)
    assert "its answer can't be used" in ended[0].message
    assert "did not come to an end" in ended[1].message
    assert lied.model.asked == hung.model.asked == []


def test_a_trial_is_asked_again_when_all_that_it_was_for_have_gone(
    tmp_path: Path, trials: DaskTrials, monkeypatch: pytest.MonkeyPatch
) -> None:
    usable, submit = trials.preparation.usable, trials.cluster.submit
    gone, asked = "tcp://127.0.0.1:9", list[Any]()

    def gone_at_first(*arguments: Any) -> Usable:
        found = usable(*arguments)
        return found if asked else Usable((*found.fitting, gone), (gone,))

    def noting(function: Any, arguments: Any, key: str, needs: Any, workers: Any) -> Any:
        if function.__name__ == "work":
            asked.append(workers)
        return submit(function, arguments, key, needs, workers)

    monkeypatch.setattr(trials.preparation, "usable", gone_at_first)
    monkeypatch.setattr(trials.cluster, "submit", noting)

    assert scene(tmp_path).build(trials=trials).ended.exit_code == ExitCode.PASS
    assert asked[0] == [gone]


def test_a_worker_of_another_version_is_named() -> None:
    old = WorkerFacts("tcp://h:1", "old", {"workorder-0.0.1-python-3.9-linux-x86_64": 1.0})

    message = no_worker(needs_of(""), [old]).message

    assert f"old lacks {peer()} (it has workorder-0.0.1-python-3.9-linux-x86_64)" in message


def test_an_engine_that_is_not_there_ends_a_build_with_8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("factory.engines.dask.cluster.CONNECT_SECONDS", 0.5)
    there = scene(tmp_path)
    words = ["build", "--repo", str(there.repo), "--plan", str(there.plan), "--out", str(there.out)]

    codes = [
        main([*words, "--llm", "command:false", "--engine", engine])
        for engine in ("dask:tcp://127.0.0.1:9", "dask:nowhere.json", "dask:tcp://10.255.0.1:9", "nope")
    ]

    assert codes == [8, 8, 8, 2]
    assert "the scheduler is not reached" in capsys.readouterr().err


def test_a_worker_says_why_it_has_not_joined_and_leaves_nothing_behind(
    tmp_path: Path, engine: Engine
) -> None:
    later = tmp_path / "later.json"
    later.write_text('{"address": "nonsense"}')
    engine.start_worker("late", file=later, variables={"TMPDIR": str(tmp_path)})
    await_word(engine, "late", f"late tries on to join a scheduler: {later} is no file that a scheduler")
    assert [path.name[:15] for path in tmp_path.iterdir() if path.is_dir()] == ["workorder-dask-"]

    later.write_bytes(engine.file.read_bytes())
    await_word(engine, "late", "late has joined tcp://")
    engine.end("late")

    assert [*tmp_path.iterdir()] == [later]


def test_a_port_that_is_taken_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = [sys.executable, "-m", "factory", "engine", "scheduler", "--port", str(port)]
        assert subprocess.run(words, check=False, timeout=60).returncode == 8
    assert f"error: 127.0.0.1:{port}: the scheduler can't listen there" in capfd.readouterr().err


def test_certificates_that_are_missing_are_named_before_anything_is_tried(tmp_path: Path) -> None:
    with dask.config.set({"distributed.comm.tls.ca-file": str(tmp_path / "ca.pem")}):
        with pytest.raises(
            EngineProblem, match=r"ca\.pem, which is no file, as distributed\.comm\.tls\.ca-file"
        ):
            require_certificates("tls://127.0.0.1:1", "worker")
        require_certificates("tcp://127.0.0.1:1", "worker")


def test_nobody_of_another_machine_can_speak_to_an_engine_on_this_one(
    engine: Engine, trials: DaskTrials
) -> None:
    assert trials.are_elsewhere
    listening = {
        name: {
            found.laddr.ip
            for found in psutil.Process(started.pid).net_connections("inet")
            if found.status == psutil.CONN_LISTEN
        }
        for name, started in engine.running.items()
    }
    assert {"scheduler", "right"} <= set(listening)
    assert set().union(*listening.values()) == {"127.0.0.1"}


def test_status_lists_workers(engine: Engine, trials: DaskTrials, capsys: pytest.CaptureFixture[str]) -> None:
    assert trials.are_elsewhere
    assert main(["engine", "status", "--engine", f"dask:{engine.file}"]) == 0
    shown = capsys.readouterr().out
    assert "right  tcp://127.0.0.1:" in shown
    assert re.search(r": workers that fit \(.*\): (\d) of \1", shown)
    assert "sandboxes: " in shown


def test_no_more_calls_are_under_way_than_there_are_workers(trials: DaskTrials) -> None:
    lock = threading.Lock()
    there: set[int] = set()
    most = 0

    def call(number: int) -> int:
        nonlocal most
        with trials.turn(lambda: 3, lambda: None):
            with lock:
                there.add(number)
                most = max(most, len(there))
            time.sleep(0.05)
            with lock:
                there.remove(number)
        return number

    with ThreadPoolExecutor(12) as threads:
        assert sorted(threads.map(call, range(12))) == [*range(12)]
    assert most == 3


def test_who_waits_for_a_worker_heeds_a_stop(trials: DaskTrials) -> None:
    def stopped() -> None:
        raise Stopped

    with trials.turn(lambda: 1, stopped), pytest.raises(Stopped), trials.turn(lambda: 1, stopped):
        raise AssertionError
    # Nobody is under way any more.
    with trials.turn(lambda: 1, stopped):
        pass
