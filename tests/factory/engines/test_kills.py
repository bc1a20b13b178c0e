"""Workers, the scheduler and the coordinator are killed at random: nothing is lost, doubled or asked twice.

`ENGINE_KILLS=100` says how often; without it nothing is killed here, because each takes seconds.
"""

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra workorder[dask] is not installed")

from factory.trials.memory import _Verdict
from tests.support.builds import write_plan, writes
from tests.support.engines import Engine, an_engine
from tests.support.repositories import git, make_repo

KILLS = int(os.environ.get("ENGINE_KILLS", "0"))
ORDERS = 4
LONGEST_SECONDS = 600

MODEL = """
import hashlib, json, re, sys
name = re.search(r'"id": "(WO-\\d+)"', sys.stdin.read())[1]
empty = hashlib.sha256(b"").hexdigest()
write = {"path": name + ".txt", "base_sha256": empty, "content": "by " + name + "\\n"}
print(json.dumps({"summary": "Wrote it.", "writes": [write]}))
"""


class Round:
    """One build, whose coordinator is a process."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        self.repo = make_repo(folder / "repo")
        self.out = folder / "out"
        self._engine = engine
        orders = [
            {
                **writes(f"WO-{number:02d}.txt"),
                "depends_on": [],
                "acceptance_commands": [f"sh -c 'sleep 0.3; test -f WO-{number:02d}.txt'"],
            }
            for number in range(1, ORDERS + 1)
        ]
        self._plan = write_plan(folder / "plan", orders)
        self._model = folder / "model.py"
        self._model.write_text(MODEL)
        self._log = folder / "coordinator.log"

    def start(self) -> "subprocess.Popen[bytes]":
        words = ["build", "--repo", self.repo, "--plan", self._plan, "--out", self.out, "--jobs", "3"]
        model = f"command:{shlex.quote(sys.executable)} {shlex.quote(str(self._model))}"
        engine = f"dask:{self._engine.file}"
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "factory", *words, "--llm", model, "--engine", engine, "--quiet"],
                stdout=log,
                stderr=log,
            )

    def require_sound(self) -> None:
        log = git(self.repo, "log", "--reverse", "--format=%(trailers:key=Work-Order,valueonly)")
        assert log.split() == [f"WO-{number:02d}" for number in range(1, ORDERS + 1)]
        assert git(self.repo, "status", "--porcelain") == ""
        for number in range(1, ORDERS + 1):
            assert (self.repo / f"WO-{number:02d}.txt").read_text() == f"by WO-{number:02d}\n"
        answers = list((self.out / "ledger").glob("*.json"))
        assert len(answers) == ORDERS
        verdicts = sorted((self.out / "trials").glob("*/verdict.json"))
        # The probe, the attempt and the second pass of each work order, and the gates of those that others
        # have overtaken.
        assert len(verdicts) >= 3 * ORDERS
        for path in verdicts:
            assert _Verdict.model_validate_json(path.read_bytes()).answer.is_lasting
        assert not list((self.out / "trials").glob(".making-*"))

    def said(self) -> str:
        return self._log.read_text()[-3000:]


@pytest.mark.skipif(KILLS == 0, reason="ENGINE_KILLS says how often something is killed")
@pytest.mark.timeout(60 + 60 * KILLS)
def test_whatever_is_killed_a_build_ends_as_if_nothing_was(tmp_path: Path) -> None:
    chance = random.Random(int(os.environ.get("ENGINE_SEED", "1")))
    killed = {"worker": 0, "scheduler": 0, "coordinator": 0}
    rounds = 0
    with an_engine(tmp_path / "engine", "left", "right") as engine:
        while sum(killed.values()) < KILLS:
            rounds += 1
            one = Round(tmp_path / str(rounds), engine)
            end = time.monotonic() + LONGEST_SECONDS
            process = one.start()
            while process.poll() != 0:
                assert time.monotonic() < end, one.said()
                if process.returncode is not None:
                    # What was killed can leave a trial without a worker for too long: the next start goes on.
                    assert process.returncode in (8, -signal.SIGKILL), one.said()
                    process = one.start()
                pause = time.monotonic() + chance.uniform(0.5, 4)
                while process.poll() is None and time.monotonic() < pause:
                    time.sleep(0.05)
                if process.poll() is None and sum(killed.values()) < KILLS:
                    what = chance.choice(("worker", "worker", "scheduler", "coordinator"))
                    killed[what] += 1
                    if what == "coordinator":
                        process.kill()
                        process.wait()
                    elif what == "scheduler":
                        engine.kill("scheduler")
                        engine.start_scheduler()
                    else:
                        name = chance.choice(("left", "right"))
                        engine.kill(name)
                        engine.start_worker(name)
            one.require_sound()
            print(json.dumps({"killed": killed, "rounds": rounds}), flush=True)
