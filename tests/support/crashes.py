"""Builds that die: a program that forks a child for each build, and kills it where it is told to.

Started as `python -m tests.support.crashes`; a line of JSON in, a line of JSON out (see `Trials`). It has
imported everything before it forks, so that a trial costs no imports, and it has one thread, so that forking
is safe. The child counts the operations that change something on the disk, or start a program, with an audit
hook, each thread's on its own, because how the threads interleave differs from run to run.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import factory.runs.graph  # noqa: F401  Imported before forking.
from factory.builds.build import build
from factory.builds.settings import BuildSettings
from factory.builds.state.file import load_state
from factory.builds.state.model import BuildState
from factory.llm.ledger.store import Ledger, call_key
from factory.llm.port import Answer, Model, Request
from factory.runs.inputs import Ports
from factory.system.clock import SystemClock
from tests.support.answers import a_proposal
from tests.support.builds import write_plan, writes
from tests.support.repositories import git, make_repo
from tests.support.runs import attempt_settings
from tests.support.scripted_model import answer

_RUN_FILES = ("run.json", "run_summary.json")
_READING = (
    "cat-file",
    "check-ignore",
    "config",
    "diff",
    "diff-tree",
    "for-each-ref",
    "log",
    "ls-tree",
    "rev-parse",
    "status",
    "var",
)
_THROWN_AWAY = (
    *(" tmp/", "/indexes/", "/reaper."),
    *("start git add", "start git commit-tree", "start git init", "start git update-index"),
    *("start git write-tree", "start git read-tree --reset"),
)
_RUN_FOLDER = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Point:
    """A moment in a build: before the operation with this number in one of the threads.

    Attributes:
        worker: whether the thread is the worker's.
        number: of the operation, from 0, in that thread.
        what: the operation.
    """

    worker: bool
    number: int
    what: str


class Scene:
    """A repository, a plan and an output directory in one folder, with its own TMPDIR.

    Attributes:
        root: the folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repo = root / "repo"
        self.out = root / "out"
        self.ledger = self.out / "ledger"

    @classmethod
    def make(cls, root: Path, orders: Sequence[Any]) -> "Scene":
        """A new scene with this plan."""
        scene = cls(root)
        make_repo(scene.repo)
        write_plan(root / "plan", orders)
        (root / "tmp").mkdir()
        return scene

    def copy(self, root: Path) -> "Scene":
        """The same scene elsewhere."""
        shutil.copytree(self.root, root, symlinks=True)
        return Scene(root)

    @property
    def calls(self) -> list[str]:
        """The ledger's keys of all calls of the model, in the order of asking."""
        path = self.root / "calls"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def stored(self) -> list[str]:
        """The keys of the stored answers."""
        return Ledger(self.ledger).stored_keys()

    @property
    def state(self) -> BuildState:
        """What `state.json` holds, validated."""
        state = load_state(self.out)
        assert state is not None
        return state

    def commits(self) -> list[str]:
        """Tree and work order of every commit of the branch, the oldest first."""
        return git(
            self.repo,
            "log",
            "--reverse",
            "--format=%T %(trailers:key=Work-Order,valueonly,separator=)",
            "main",
        ).splitlines()

    def left_behind(self) -> list[str]:
        """Everything that a build may leave only for a moment."""
        folder = self.repo / ".git"
        paths = [*(self.root / "tmp").iterdir()]
        paths += [path for path in (folder / "workorder").rglob("*") if path.name != "lock"]
        paths += [*folder.rglob("*.lock"), *self.out.rglob("*.pending.json")]
        paths += [*self.root.rglob("*.tmp"), *(folder / "objects").rglob("tmp_obj_*")]
        paths += [
            path
            for path in self.out.iterdir()
            if _RUN_FOLDER.fullmatch(path.name) and not (path / "run_summary.json").is_file()
        ]
        return sorted(str(path.relative_to(self.root)) for path in paths)


class Trials:
    """The program, ready for orders."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def build(
        self,
        scene: Scene,
        *,
        jobs: int = 1,
        kill: Point | None = None,
        after: float | None = None,
        **env: str,
    ) -> int:
        """Build in a child.

        Args:
            scene: what is built.
            jobs: how many at a time.
            kill: where the child kills itself.
            after: the seconds after which it is killed.
            env: further environment variables.

        Returns:
            Its exit code; negative if a signal ended it.
        """
        order = {"root": str(scene.root), "jobs": jobs, "after": after, "env": env, "kill": None}
        if kill is not None:
            order["kill"] = [kill.worker, kill.number]
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(json.loads(self._process.stdout.readline()))

    def points(self, scene: Scene) -> list[Point]:
        """All points of a build that nothing disturbs; the scene is built then."""
        assert self.build(scene, FAULT_POINTS=str(scene.root / "points")) == 0
        lines = (scene.root / "points").read_text().splitlines()
        return [Point(*json.loads(line)) for line in lines]


@contextmanager
def trials() -> Iterator[Trials]:
    """The program, running within the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.crashes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        yield Trials(process)


def distinct(points: Sequence[Point]) -> list[Point]:
    """Those that a later start can tell apart.

    What changes only an attempt's directory, a build's indexes, git's objects or a run's artifacts is thrown
    away or written again: of a series of such operations the first counts, and the last, being what comes
    before something else. No operation on notes, locks, refs, the checkout, the ledger,
    `state.json` or a run's own record is left out.
    """
    kept: list[Point] = []
    for worker in (False, True):
        series = 0
        own = [point for point in points if point.worker is worker]
        for point in own:
            series = 0 if _matters(point.what) else series + 1
            if series < 2:
                kept.append(point)
    return kept


def _matters(what: str) -> bool:
    if any(part in what for part in _THROWN_AWAY):
        return False
    parts = what.split(" ")[-1].split("/")
    in_run = parts[0] == "out" and len(parts) > 2 and parts[1] in ("RUN", "baseline")
    return not in_run or any(name in parts[-1] for name in _RUN_FILES)


# What happens in the child


class _Script:
    """A model whose answer follows from the work order, the attempt and the prompt."""

    adapter = "scripted"
    name = "script"

    def __init__(self, root: Path) -> None:
        self._calls = root / "calls"

    def complete(self, request: Request) -> Answer:
        # A line at a time, by the kernel: this counts as the provider's bill.
        descriptor = os.open(self._calls, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.write(descriptor, call_key(self.adapter, self.name, request).encode() + b"\n")
        os.close(descriptor)
        match = re.search(r'"id": "(WO-\d+)"', request.messages[-1].content)
        assert match is not None
        if match[1] == "WO-02" and request.attempt == 1:
            return answer("I would rather not.")
        seen = hashlib.sha256(request.messages[-1].content.encode()).hexdigest()
        return answer(a_proposal({f"{match[1]}.txt": f"attempt {request.attempt}, saw {seen}\n"}))


ORDERS = (
    writes("WO-01.txt", depends_on=[]),
    writes("WO-02.txt", depends_on=["WO-01"], context_files=["WO-01.txt"]),
)
"""A plan whose second work order needs two attempts."""

FIVE_ORDERS = (
    *ORDERS,
    writes("WO-03.txt", depends_on=[]),
    writes("WO-04.txt", depends_on=["WO-01", "WO-03"], context_files=["WO-01.txt", "WO-03.txt"]),
    writes("WO-05.txt", depends_on=[]),
)
"""A plan of which several work orders can be executed at a time."""


class _Hook:
    """Counts, and kills."""

    def __init__(self, root: Path, kill: "tuple[bool, int] | None", record: bool) -> None:
        self.lines: list[str] = []
        self._root = f"{root}/"
        self._kill = kill
        self._record = record
        self._counts = {False: 0, True: 0}
        self._inside = False

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        what = self._operation(event, args)
        if what is None:
            return
        worker = threading.current_thread() is not threading.main_thread()
        number = self._counts[worker]
        self._counts[worker] += 1
        if self._record:
            self.lines.append(json.dumps([worker, number, what]))
        if self._kill == (worker, number):
            os.kill(os.getpid(), signal.SIGKILL)

    def _operation(self, event: str, args: tuple[Any, ...]) -> str | None:
        match event:
            case "open":
                path, _, flags = args
                if not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) or isinstance(path, int):
                    return None
                # A file that is opened by its directory has no name, and vanishes with its process.
                if Path(os.fsdecode(path)).is_dir() or os.fsdecode(path) == os.devnull:
                    return None
                return f"write {self._named(path)}"
            case "os.rename" | "os.link" | "os.symlink":
                return f"{event} {self._named(args[0])} {self._named(args[1])}"
            case "os.mkdir" if Path(os.fsdecode(args[0])).is_dir():
                return None
            case "os.remove" | "os.mkdir" | "os.rmdir" | "os.truncate":
                return f"{event} {self._named(args[0])}"
            case "subprocess.Popen":
                words = [os.fsdecode(word) for word in args[1]]
                while "-c" in words:
                    del words[words.index("-c") : words.index("-c") + 2]
                if words[1] in _READING:
                    return None
                return f"start {' '.join(words[:4])}".replace(self._root, "")
            case _:
                return None

    def _named(self, path: "str | bytes | os.PathLike[str]") -> str:
        name = os.fsdecode(path).removeprefix(self._root)
        if not name.startswith("/") and name.startswith(".workorder-"):
            # Below a descriptor: a file of an attempt.
            name = f"tmp/{name}"
        return re.sub(r"\b[0-9a-f]{16}(?=/|$)", "RUN", name)


def _child(order: dict[str, Any]) -> None:
    scene = Scene(Path(order["root"]))
    os.environ.update(order["env"], TMPDIR=str(scene.root / "tmp"))
    points = os.environ.pop("FAULT_POINTS", None)
    kill = tuple(order["kill"]) if order["kill"] else None
    hook = _Hook(scene.root, kill, points is not None)  # type: ignore[arg-type]
    settings = BuildSettings(
        repo=scene.repo,
        plan=scene.root / "plan",
        out=scene.out,
        branch=None,
        attempts=attempt_settings(),
        jobs=order["jobs"],
        ledger=scene.ledger,
    )

    def model(*_: object) -> Model:
        return Ledger(scene.ledger).wrap(_Script(scene.root))

    ports = Ports(model, SystemClock(), lambda _text: None, os.environ)
    # The standard library tries the directory out with a file of its own, once.
    tempfile.gettempdir()
    sys.addaudithook(hook)
    built = build(settings, ports, lambda _state, _event: None)
    if points is not None:
        lines = "".join(f"{line}\n" for line in hook.lines)
        Path(points).write_text(lines)
    if built.ended.exit_code:
        print(built.ended.message, built.ended.hint, file=sys.stderr, flush=True)
    os._exit(built.ended.exit_code)


def _serve() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                _child(order)
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                os._exit(70)
        if order["after"] is not None:
            time.sleep(order["after"])
            # Not waited for yet, so its number is still its own.
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)


if __name__ == "__main__":
    _serve()
