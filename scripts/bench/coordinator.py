#!/usr/bin/env python3
"""What the process that decides a build costs, by the number of its work orders.

    .venv/test/bin/python scripts/bench/coordinator.py [COUNT ...]

Work orders are independent, so each is attempted and tested on what lands before it. Attempts make a tree of
one file and gates say yes at once: what is left is the loop, its record on the disk, and the landings. "Own"
and "git" are times of processors. `growth` is the own time for each work order beside that in the smallest
build: 1.0 is linear. Memory is the largest that the process has had; each build has one of its own.
"""

import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from measure import CHECKOUT, machine, table
from parallel import ENVIRONMENT, new_repository, plan_with

sys.path.insert(0, str(CHECKOUT))

from factory.attempt.exit_codes import ExitCode
from factory.builds.branch.history import history
from factory.builds.branch.trees import Trees
from factory.builds.decisions.messages import NodeEntered
from factory.builds.decisions.schedule import Dependencies
from factory.builds.decisions.standing import Standing
from factory.builds.decisions.tasks import AttemptTask, LandingTask, Result
from factory.builds.landing_queue import LandingQueue
from factory.builds.loop import Loop, Mail
from factory.builds.state.attempts import AttemptRecord, RunEntry
from factory.builds.state.machine import BuildPhase
from factory.builds.state.model import BuildState
from factory.builds.state.records import Records
from factory.contract.canonical import EMPTY_SHA256
from factory.contract.proposal import WriteProposal
from factory.contract.work_order import Plan
from factory.repository.target import target
from factory.system.clock import SystemClock
from factory.system.git.client import Git

COUNTS = (100, 300, 1_000)
JOBS = 8
BUDGET_MEGABYTES = 300


def main(counts: list[int]) -> None:
    """Measure each count in a process of its own, and print the table."""
    print(machine())
    rows, first = [], 0.0
    for count in counts:
        done = subprocess.run(
            [sys.executable, __file__, "one", str(count)], capture_output=True, text=True, check=True
        )
        wall, own, git, megabytes = map(float, done.stdout.split())
        first = first or own / count
        rows.append(
            [
                f"{count:,}",
                f"{wall:.1f} s",
                f"{own / count * 1000:.1f} ms",
                f"{own / count / first:.2f}",
                f"{git / count * 1000:.1f} ms",
                f"{megabytes:.0f} MB",
            ]
        )
    print(table(["work orders", "wall", "own, each", "growth", "git, each", "memory"], rows))
    print(f"budget: {BUDGET_MEGABYTES} MB")


class _Worker:
    """Makes trees, and says yes."""

    def __init__(self, git: Git, mail: "SimpleQueue[Mail]") -> None:
        self._git = git
        self._mail = mail
        self._listing: bytes | None = None
        self._lock = threading.Lock()
        self._blob = git.text("hash-object", "-w", "--stdin", stdin=b"done\n")

    def attempt(self, task: AttemptTask) -> Result:
        with self._lock:
            self._listing = self._listing or self._git.output("ls-tree", task.baseline)
        path = task.order.allowed_files[0]
        entry = f"100644 blob {self._blob}\t{path}\n".encode()
        tree = self._git.text("mktree", stdin=self._listing + entry)
        run = RunEntry(run_id=task.run_id, attempts=())
        for node in ("se", "tr", "po"):
            self._mail.put(NodeEntered(task.order.id, node, 1, None, run))
        write = {"path": path, "base_sha256": EMPTY_SHA256, "content": "done\n"}
        return Result(
            exit_code=ExitCode.PASS,
            run_id=task.run_id,
            baseline=task.baseline,
            attempt=1,
            attempts=(AttemptRecord(attempt=1, passed=True, answer="0" * 64, model="bench:bench"),),
            tree=tree,
            proposal=WriteProposal.model_validate({"summary": "Did it.", "writes": [write]}),
        )

    def examine(self, task: LandingTask) -> Result:
        return Result(ExitCode.PASS, task.run_id, task.commit, task.attempt)

    def stop(self, order_id: str) -> None:
        pass

    def stop_all(self) -> None:
        pass


def _one(count: int) -> None:
    os.environ.update(ENVIRONMENT)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        plan = Plan.model_validate(plan_with(dict.fromkeys(range(1, count + 1), ())))
        git = Git.open(new_repository(folder / "repo", "true"))
        goal, clock, out = target(git, None), SystemClock(), folder / "out"
        past = history(git, goal.baseline, plan)
        state = BuildState.of(
            plan, repository=str(git.common_dir), branch=goal.branch, base=past.base, now=clock.now()
        )
        (folder / "scratch").mkdir()
        records = Records(state, out, clock, lambda _event: None)
        records.build(BuildPhase.RUNNING)
        queue = LandingQueue(goal, past, Trees(git, folder / "scratch"), {None: "0" * 64})
        standing = Standing.at_start(Dependencies.of(plan), (), jobs=JOBS, max_attempts=1, keep_going=False)
        mail: SimpleQueue[Mail] = SimpleQueue()
        start, own, below = (
            time.perf_counter(),
            _computed(resource.RUSAGE_SELF),
            _computed(resource.RUSAGE_CHILDREN),
        )
        with ThreadPoolExecutor(JOBS) as executor:
            worker = _Worker(git, mail)
            loop = Loop(
                plan, standing, queue, records, worker, mail, executor, deadline=None, now=clock.monotonic
            )
            halt = loop.run()
        if halt is not None:
            sys.exit(f"the build failed: {halt.message}")
        wall = time.perf_counter() - start
        own, below = _computed(resource.RUSAGE_SELF) - own, _computed(resource.RUSAGE_CHILDREN) - below
        print(wall, own, below, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _computed(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        _one(int(sys.argv[2]))
    else:
        main([int(count) for count in sys.argv[1:]] or list(COUNTS))
