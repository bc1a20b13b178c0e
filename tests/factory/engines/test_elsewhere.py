"""Workers that are elsewhere: of other users, with a full disk, behind a network that breaks.

Only with `ENGINE_KILLS`, see `test_kills`: each starts an engine of its own.
"""

import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra workorder[dask] is not installed")

from factory.builds.state.model import Ended
from factory.contract.strict_json import JsonObject
from factory.engines.dask.opened import opened
from factory.engines.dask.trials import DaskTrials, Patience
from factory.engines.name import EngineName
from factory.llm.port import Request
from tests.factory.engines.test_kills import KILLS
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene
from tests.support.engines import Engine, an_engine
from tests.support.repositories import VERIFY_PASSES, Files, git, make_repo

pytestmark = [
    pytest.mark.skipif(KILLS == 0, reason="ENGINE_KILLS asks for what is rarely needed"),
    pytest.mark.timeout(600),
]
OTHERS = {"second": 20_002, "third": 20_003}
AS_OTHER = ("setpriv", "--clear-groups")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A directory that other users may enter, which that of the test is not."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def reply(order_id: str, _attempt: int, _request: Request) -> str:
    return a_proposal({f"{order_id}.txt": "x\n"})


def scene(folder: Path, orders: int, command: str, files: Files = VERIFY_PASSES) -> BuildScene:
    """Work orders that don't depend on each other."""
    found: list[JsonObject] = [
        {
            "allowed_files": [f"WO-{number:02d}.txt"],
            "acceptance_commands": [f"sh -c '{command}; test -f WO-{number:02d}.txt'"],
            "depends_on": [],
        }
        for number in range(1, orders + 1)
    ]
    return BuildScene(make_repo(folder / "repo", files), found, reply)


@contextmanager
def trials_on(engine: Engine, workers: int) -> Iterator[DaskTrials]:
    """The engine's trials, when so many workers are there."""
    name = EngineName("file", str(engine.file))
    with opened(name, insecure=False, progress=lambda _text: None) as found:
        end = time.monotonic() + 120
        while len(found.cluster.workers()) < workers:
            assert time.monotonic() < end
            time.sleep(0.2)
        yield DaskTrials(found.cluster, Patience(nobody_seconds=60.0))


def tried(built: BuildScene) -> list[JsonObject]:
    lines = [line for path in built.out.glob("*/events.jsonl") for line in path.read_text().splitlines()]
    return [event for line in lines if (event := json.loads(line)).get("event") == "tried"]


def landed(built: BuildScene) -> str:
    return git(built.repo, "log", "--format=%T %an %ae %B")


def _is_another_user_possible() -> bool:
    uid = str(OTHERS["second"])
    words = [*AS_OTHER, f"--reuid={uid}", f"--regid={uid}", sys.executable, "-c", "import distributed"]
    with suppress(OSError):
        return os.getuid() == 0 and subprocess.run(words, capture_output=True).returncode == 0
    return False


def test_workers_of_three_users_land_what_one_process_does(tmp_path: Path, open_folder: Path) -> None:
    if not _is_another_user_possible():
        pytest.skip("no other user can run this interpreter")
    here, there = scene(tmp_path / "here", 4, "sleep 0.5"), scene(tmp_path / "there", 4, "sleep 0.5")
    asked = {"jobs": 4, "second_pass": True, "red_probe": True}

    assert here.build(**asked).ended.exit_code == 0
    with an_engine(open_folder, "first") as engine:
        for name, uid in OTHERS.items():
            home = open_folder / f"home of {name}"
            home.mkdir()
            os.chown(home, uid, uid)
            engine.start_worker(
                name,
                *("sh", "-c", 'umask 077; exec "$@"', "sh", *AS_OTHER, f"--reuid={uid}", f"--regid={uid}"),
                place=home / "place",
                variables={"HOME": str(home), "TMPDIR": str(home), "USER": name, "TZ": "Asia/Tokyo",
                           "WORKORDER_CACHE_DIR": str(home / "cache"), "LANG": "C"},
            )  # fmt: skip
        with trials_on(engine, 3) as trials:
            ended = there.build(trials=trials, **asked).ended

        assert ended.exit_code == 0, ended
        assert {event["worker"] for event in tried(there)} == {"first", *OTHERS}, tried(there)
    assert landed(there) == landed(here)


def test_a_worker_whose_disk_is_full_is_named_and_trials_go_elsewhere(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(4_000_000)
    built = scene(tmp_path, 2, "true", {**VERIFY_PASSES, "noise.bin": noise})
    small = tmp_path / "small"
    small.mkdir()
    with ExitStack() as used:
        mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(small)]
        before: tuple[str, ...] = ("prlimit", "--fsize=2000000")
        if os.getuid() == 0 and subprocess.run(mount, capture_output=True).returncode == 0:
            used.callback(subprocess.run, ["umount", "--lazy", str(small)], check=True)
            before = ()
        engine = used.enter_context(an_engine(tmp_path / "engine", "roomy"))
        engine.start_worker("full", *before, place=small)
        trials = used.enter_context(trials_on(engine, 2))
        told: list[str] = []
        trials.progress = told.append
        ended = built.build(trials=trials, jobs=2).ended

    assert ended.exit_code == 0, ended
    events = tried(built)
    assert {event["worker"] for event in events} == {"roomy"}
    (line,) = told
    assert line.startswith("the worker full can't get ready: ")


class Wire:
    """What lies between a worker and the scheduler, and may be cut.

    Args:
        port: the scheduler's.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._open = True
        self._ends: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, seconds: float) -> None:
        """Break what is connected, and let nothing through for a while."""
        self._open = False
        self._break()
        time.sleep(seconds)
        self._open = True

    def close(self) -> None:
        """Cut it for good."""
        self._open = False
        self._listener.close()
        self._break()

    def _break(self) -> None:
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._ends.clear()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                if not self._open:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._port))
                self._ends += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=_carry, args=pair, daemon=True).start()


def _carry(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def test_a_network_that_is_cut_for_seconds_costs_time_alone(tmp_path: Path) -> None:
    here, there = scene(tmp_path / "here", 2, "sleep 2"), scene(tmp_path / "there", 2, "sleep 2")
    assert here.build().ended.exit_code == 0
    with an_engine(tmp_path / "engine") as engine, ExitStack() as used:
        known = json.loads(engine.file.read_text())
        wire = Wire(int(known["address"].rpartition(":")[2]))
        used.callback(wire.close)
        through = engine.folder / "through.json"
        through.write_text(json.dumps(known | {"address": f"tcp://127.0.0.1:{wire.port}"}))
        for name in ("left", "right"):
            engine.start_worker(name, file=through)
        trials = used.enter_context(trials_on(engine, 2))
        ended: list[Ended] = []
        build = threading.Thread(target=lambda: ended.append(there.build(trials=trials, jobs=2).ended))
        build.start()
        cuts = 0
        while build.is_alive():
            build.join(4)
            if build.is_alive() and there.model.asked and not cuts:
                wire.cut(3)
                cuts += 1

    assert [end.exit_code for end in ended] == [0], ended
    assert cuts > 0
    assert landed(there) == landed(here)
    assert sorted(there.model.asked) == [("WO-01", 1), ("WO-02", 1)]
