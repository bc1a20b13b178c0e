#!/usr/bin/env python3
"""What a run costs by itself: one work order, an answer from a recording, gates that are `true`, in phases.

    .venv/test/bin/python scripts/bench/run_overhead.py [ROUNDS]

Each round is a whole `factory run` against a fresh clone. The budget is 0.3 s without the model and without
the gates' commands. Beside it stand, from the same rounds: the gates, as the run's own artifacts tell them;
as many starts of a git that does nothing as the run made calls; and the same result by hand, with a linked
work tree, a commit and a merge.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import CHECKOUT, machine, median, milliseconds, table, verdict
from plans import plan

sys.path.insert(0, str(CHECKOUT))

from factory.contract.canonical import EMPTY_SHA256

BUDGET_SECONDS = 0.3
FILES = 200
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(CHECKOUT),
    "GIT_AUTHOR_NAME": "Bench",
    "GIT_AUTHOR_EMAIL": "bench@example.invalid",
    "GIT_COMMITTER_NAME": "Bench",
    "GIT_COMMITTER_EMAIL": "bench@example.invalid",
}


@dataclass(frozen=True)
class Scene:
    """A folder with all that the rounds need.

    Attributes:
        folder: the folder.
        seed: the repository that every round clones.
        work_order: the work order's file.
        recording: the recorded answer.
    """

    folder: Path
    seed: Path
    work_order: Path
    recording: Path


def main(rounds: int) -> None:
    """Measure and print the table."""
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        scene = _prepare(Path(folder))
        measured = []
        for number in range(rounds + 1):
            measured.append(
                {
                    **_factory_run(scene, f"round-{number}"),
                    "bare landing": _bare_landing(scene, f"bare-{number}"),
                    "git start": _git_start(),
                }
            )
    _print(measured[1:])


def _print(rounds: Sequence[Mapping[str, float]]) -> None:
    middle = {name: median([values[name] for values in rounds]) for name in rounds[0]}
    calls = round(middle["git_calls"])
    own = median([values["overhead"] for values in rounds])
    rows = [
        ("start of Python", middle["interpreter"]),
        ("imports", middle["imports"]),
        (f"git, {calls} calls", middle["git"]),
        ("our code and its files", middle["code"]),
        ("end of Python", middle["exit"]),
        ("overhead: the sum", own),
        (f"beside it: {round(middle['gate_commands'])} gates", middle["gates"]),
        (f"beside it: {calls} starts of git", middle["git start"] * calls),
        ("beside it: the same by hand", middle["bare landing"]),
    ]
    print(
        table(
            ["", "median", "of the overhead"],
            [[name, milliseconds(value), f"{value / own:.0%}"] for name, value in rows],
        )
    )
    print(f"budget, {BUDGET_SECONDS:g} s without model and gates: {verdict(own <= BUDGET_SECONDS)}")


def _factory_run(scene: Scene, name: str) -> dict[str, float]:
    repo, out, report = (scene.folder / name / part for part in ("repo", "out", "phases.json"))
    _git(scene.folder, "clone", "--quiet", str(scene.seed), str(repo))
    started = time.monotonic()
    done = subprocess.run(
        [
            sys.executable, str(Path(__file__).with_name("run_phases.py")), str(report), repr(started),
            "run", "--repo", str(repo), "--work-order", str(scene.work_order), "--out", str(out),
            "--llm", f"replay:{scene.recording}",
        ],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )  # fmt: skip
    ended = time.monotonic()
    if done.returncode != 0:
        sys.exit(f"the run failed with {done.returncode}:\n{done.stderr}")
    phases: dict[str, float] = json.loads(report.read_text())
    gates = [
        command["seconds"]
        for path in sorted(out.glob("*/attempt_1/*_result.json"))
        for check in json.loads(path.read_text()).get("checks", ())
        for command in check["commands"]
    ]
    shutil.rmtree(scene.folder / name)
    whole = ended - started
    known = phases["interpreter"] + phases["imports"] + phases["git"] + sum(gates)
    return {
        **phases,
        "gates": sum(gates),
        "gate_commands": len(gates),
        "code": phases["whole"] - known,
        "exit": whole - phases["whole"],
        "overhead": whole - sum(gates),
    }


def _bare_landing(scene: Scene, name: str) -> float:
    """The least that a person would type for the same result."""
    repo = scene.folder / name
    _git(scene.folder, "clone", "--quiet", str(scene.seed), str(repo))
    start = time.monotonic()
    _git(repo, "status", "--porcelain")
    _git(repo, "worktree", "add", "--quiet", "--detach", f"../{name}-tree")
    (scene.folder / f"{name}-tree" / "new.py").write_text("A = 1\n")
    _git(scene.folder / f"{name}-tree", "add", "new.py")
    _git(scene.folder / f"{name}-tree", "commit", "--quiet", "--message", "Land")
    commit = _git(scene.folder / f"{name}-tree", "rev-parse", "HEAD")
    _git(repo, "merge", "--quiet", "--ff-only", commit)
    _git(repo, "worktree", "remove", "--force", f"../{name}-tree")
    seconds = time.monotonic() - start
    shutil.rmtree(repo)
    return seconds


def _git_start() -> float:
    start = time.monotonic()
    subprocess.run(["git", "version"], capture_output=True, check=True)
    return time.monotonic() - start


def _prepare(folder: Path) -> Scene:
    seed = folder / "seed"
    _git(folder, "init", "--quiet", str(seed))
    (seed / "scripts").mkdir()
    (seed / "scripts" / "verify.sh").write_text("true\n")
    for number in range(FILES):
        (seed / f"file_{number:03d}.txt").write_text(f"{number}\n" * 20)
    _git(seed, "add", "--all")
    _git(seed, "commit", "--quiet", "--message", "Start")
    order = plan(1)["work_orders"][0]
    order.update(
        allowed_files=["new.py"],
        preconditions=[],
        postconditions=[{"kind": "file_exists", "path": "new.py"}],
        acceptance_commands=["test -f new.py"],
    )
    work_order = folder / "WO-01.json"
    work_order.write_text(json.dumps(order))
    scene = Scene(folder, seed, work_order, folder / "recording")
    _record(scene)
    return scene


def _record(scene: Scene) -> None:
    """Make the recording: a first run, answered by a program."""
    write = {"path": "new.py", "base_sha256": EMPTY_SHA256, "content": "A = 1\n"}
    answer = scene.folder / "answer.json"
    answer.write_text(json.dumps({"summary": "Wrote it.", "writes": [write]}))
    repo = scene.folder / "recorded"
    _git(scene.folder, "clone", "--quiet", str(scene.seed), str(repo))
    done = subprocess.run(
        [
            sys.executable, "-m", "factory", "run",
            "--repo", str(repo), "--work-order", str(scene.work_order), "--out", str(scene.folder / "out"),
            "--ledger", str(scene.recording), "--llm", f"command:cat {answer}",
        ],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )  # fmt: skip
    if done.returncode != 0:
        sys.exit(f"the recording failed with {done.returncode}:\n{done.stderr}")


def _git(cwd: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
