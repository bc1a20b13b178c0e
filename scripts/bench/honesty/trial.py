"""What becomes of a plan: what `planner check` says of it, and how `factory build` ends.

Both are called with arguments, as a user gives them, in a process of their own that this one forks, so that
what they import is imported once. The model is a program that answers with the solution, and notes down for
which work orders it was asked.
"""

import contextlib
import hashlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from draft import Draft, Json
from measure import CHECKOUT

sys.path.insert(0, str(CHECKOUT))

# The runs of all builds, imported before processes are forked.
import factory.runs.graph  # noqa: F401
from factory.cli import main as factory_main
from factory.contract.canonical import sha256_hex
from planner.check.document import plan_of
from planner.cli import main as planner_main
from planner.compile.emit import with_computed_fields, write_plan

CHECK_SECONDS = 60
REVIEW_SECONDS = 1_800
BUILD_SECONDS = 240
COMMAND_SECONDS = 60

_ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "WORKORDER_"))},
    "PYTHONPATH": str(CHECKOUT),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", "Bench"), ("EMAIL", "bench@example.invalid"))
    },
}

_PROGRAM = """
import pathlib, re, sys
here = pathlib.Path(__file__).parent
asked = re.search(r'"id": "(WO-[0-9]+)"', sys.stdin.read())[1]
with (here / "asked").open("a") as file:
    file.write(asked + "\\n")
print((here / f"{asked}.json").read_text())
"""


@dataclass(frozen=True)
class Finding:
    """A diagnostic of `planner check`."""

    code: str
    severity: str
    order: str
    pointer: str
    message: str


@dataclass(frozen=True)
class Build:
    """How a build ended.

    Attributes:
        exit_code: of the command.
        asked: the work orders that the model was asked for, in order, one for each call.
        landed: the commits that landed work orders, by id.
        words: the last line that it printed of what was wrong.
    """

    exit_code: int
    asked: tuple[str, ...]
    landed: dict[str, str]
    words: str


def check(draft: Draft, folder: Path) -> tuple[Finding, ...]:
    """Write the plan to `folder`, with its repository, and check it.

    Raises:
        RuntimeError: the command failed by itself.
    """
    (folder / "spec.md").write_text(draft.spec, encoding="utf-8")
    _make_repository(folder / "base", draft.base)
    _write_plan(draft, folder / "plan")
    called = [
        *("check", str(folder / "plan"), "--repo", str(folder / "base")),
        *("--spec", str(folder / "spec.md"), "--output-format", "json"),
    ]
    return _findings(called, CHECK_SECONDS)


def review(folder: Path, model: str) -> tuple[Finding, ...]:
    """What a model objects to in the plan that `check` wrote to `folder`.

    Raises:
        RuntimeError: the command failed, or the model gave no answer.
    """
    called = [
        *("review", str(folder / "plan"), "--repo", str(folder / "base")),
        *("--spec", str(folder / "spec.md"), "--llm", model, "--output-format", "json"),
    ]
    return _findings(called, REVIEW_SECONDS)


def build(draft: Draft, folder: Path, begun: "Begun | None" = None, until: str | None = None) -> Build:
    """Build the plan that `check` wrote to `folder`.

    Args:
        draft: the plan.
        folder: where `check` wrote it.
        begun: a build whose first work orders this plan shares; they are not built again.
        until: the first work order that the model does not answer; None if it answers all.
    """
    repo = folder / "repo"
    if begun is None:
        (folder / "base").rename(repo)
    else:
        begun.copy(draft, repo)
    program = _write_answers(draft, folder / "answers", until)
    called = [
        *("build", "--plan", str(folder / "plan"), "--repo", str(repo), "--out", str(folder / "out")),
        *("--llm", program, "--max-attempts", "1", "--mutants", "0"),
        *("--timeout-seconds", str(COMMAND_SECONDS)),
    ]
    exit_code, _, error = _call(factory_main, called, BUILD_SECONDS)
    asked = folder / "answers" / "asked"
    lines = [line.strip() for line in error.splitlines() if "error" in line or "FAIL" in line]
    return Build(
        exit_code,
        tuple(asked.read_text().split()) if asked.exists() else (),
        _landed(repo),
        lines[0][:300] if lines else "",
    )


@dataclass(frozen=True)
class Begun:
    """A plan that was built, of which others may take over the beginning.

    Attributes:
        draft: the plan.
        repo: the repository with all its work orders.
        landed: their commits, by id.
    """

    draft: Draft
    repo: Path
    landed: dict[str, str]

    def copy(self, draft: Draft, to: Path) -> None:
        """A repository with the work orders that both plans begin with."""
        _git(self.repo.parent, "clone", "--quiet", str(self.repo), str(to))
        shared = 0
        for before, after in zip(self.draft.orders, draft.orders, strict=False):
            if before != after or self.draft.solution[before["id"]] != draft.solution[after["id"]]:
                break
            shared += 1
        first = _git(to, "rev-list", "--max-parents=0", "HEAD")
        tip = self.landed[self.draft.orders[shared - 1]["id"]] if shared else first
        _git(to, "reset", "--quiet", "--hard", tip)


def _write_plan(draft: Draft, folder: Path) -> None:
    """The plan as the planner writes it; one that does not match the schema as it is."""
    plan = plan_of(draft.manifest)
    if plan is None:
        folder.mkdir()
        (folder / "WORK_ORDERS_MANIFEST.json").write_text(json.dumps(draft.manifest), encoding="utf-8")
        return
    spec_hash = sha256_hex(draft.spec.encode())
    write_plan(with_computed_fields(plan, frozenset(draft.base), "bench", spec_hash), folder, overwrite=False)


def _write_answers(draft: Draft, folder: Path, until: str | None) -> str:
    folder.mkdir()
    for order_id, files in _answered(draft, until):
        answer: Json = {"summary": f"Did {order_id}.", "writes": files}
        (folder / f"{order_id}.json").write_text(json.dumps(answer), encoding="utf-8")
    program = folder / "answer.py"
    program.write_text(_PROGRAM, encoding="utf-8")
    return f"command:{shlex.join([sys.executable, str(program)])}"


def _answered(draft: Draft, until: str | None) -> Iterator[tuple[str, list[Json]]]:
    present = dict(draft.base)
    for order in draft.orders:
        if order["id"] == until:
            return
        writes: list[Json] = []
        for path, content in draft.solution[order["id"]].items():
            if path in present and present[path] == content:
                continue
            base = hashlib.sha256(present.get(path, "").encode()).hexdigest()
            writes.append({"path": path, "base_sha256": base, "content": content})
            present[path] = content
        yield order["id"], writes


def _make_repository(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir()
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--allow-empty", "--message", "Start")


def _landed(repo: Path) -> dict[str, str]:
    log = _git(repo, "log", "--format=%H %(trailers:key=Work-Order,valueonly,separator=%x2C)")
    pairs = (line.split() for line in log.splitlines())
    return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=_ENVIRONMENT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _findings(called: Sequence[str], seconds: int) -> tuple[Finding, ...]:
    """The diagnostics of a command of `planner`."""
    exit_code, output, error = _call(planner_main, called, seconds)
    if exit_code not in (0, 2):
        raise RuntimeError(f"planner {called[0]} returned {exit_code}: {error[-500:]}")
    fields = ("code", "severity", "order", "pointer", "message")
    return tuple(Finding(**{name: entry[name] for name in fields}) for entry in json.loads(output or "[]"))


def _call(main: Callable[[Sequence[str]], int], argv: Sequence[str], seconds: int) -> tuple[int, str, str]:
    """The exit code of a command, what it printed, and what it printed of errors."""
    os.environ.clear()
    os.environ.update(_ENVIRONMENT)
    signal.signal(signal.SIGALRM, _expire)
    signal.alarm(seconds)
    out, error = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            return main(argv), out.getvalue(), error.getvalue()
    finally:
        signal.alarm(0)


def _expire(_number: int, _frame: object) -> None:
    raise TimeoutError("the command took too long")
