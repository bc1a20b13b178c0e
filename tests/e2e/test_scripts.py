"""The scripts, run as a user runs them, without a network: an interpreter that has the package is named."""

import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from factory.environments.cache import CACHE_VARIABLE
from tests.support import starts
from tests.support.answering_program import manifest, order, write_answers

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "scripts"
DEMO = SCRIPTS / "demo"
DOCS = SCRIPTS / "docs"
SHELL_FILES = [DEMO, DOCS, SCRIPTS / "test", SCRIPTS / "environment.sh", ROOT / ".ci" / "run"]
# `whole`: the recorded product goes through every pass of the demo, too.
_WHOLE = os.environ.get("RECORDED_DEMO") == "whole"

PLAN = manifest(
    order("WO-01", "scripts/verify.sh", "hello.py"),
    order("WO-02", "name.txt", acceptance=("python hello.py",)),
)
FILES = {
    "WO-01": {
        "scripts/verify.sh": "true\n",
        "hello.py": 'print("Hello,", open("name.txt").read().strip())\n',
    },
    "WO-02": {"name.txt": "world\n"},
}


@pytest.mark.parametrize("path", SHELL_FILES, ids=lambda path: path.name)
def test_its_shell_is_sound(path: Path) -> None:
    assert subprocess.run(["bash", "-n", path]).returncode == 0
    if shutil.which("shellcheck"):
        done = subprocess.run(["shellcheck", "-x", path], capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "path", [DEMO, DOCS, SCRIPTS / "test", ROOT / ".ci" / "run"], ids=lambda path: path.name
)
def test_it_can_be_executed(path: Path) -> None:
    assert os.access(path, os.X_OK)


@pytest.mark.parametrize("path", [DEMO, DOCS, SCRIPTS / "test"], ids=lambda path: path.name)
def test_help_is_the_comment_at_its_top(path: Path) -> None:
    done = subprocess.run([path, "--help"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"./scripts/{path.name}" in done.stdout
    assert "set -euo" not in done.stdout


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "a product" / "spec.md"
    path.parent.mkdir()
    path.write_text("# hello: greets the world\n")
    path.with_name("show.sh").write_text('"$1" hello.py\n')
    return path


def demo(cwd: Path, *arguments: str | Path, really: bool = False) -> subprocess.CompletedProcess[str]:
    """Run the demo without a home and without an identity for git.

    Args:
        cwd: where, and its directory for temporary files.
        arguments: what stands behind its name.
        really: as on a new machine, without an environment that is kept, and each command started really.
    """
    environment = {} if really else {CACHE_VARIABLE: os.environ[CACHE_VARIABLE]}
    python, descriptors = Path(sys.executable), list[int]()
    if not really:
        python = cwd / "interpreter"
        descriptors.append(starts.forking_interpreter(python))
    environment |= {
        "PATH": os.environ["PATH"],
        "TMPDIR": str(cwd),
        "PYTHONPATH": str(ROOT),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    return subprocess.run(
        [DEMO, "--python", python, *arguments],
        cwd=cwd,
        env=environment,
        pass_fds=descriptors,
        capture_output=True,
        text=True,
    )


def test_it_builds_and_runs_the_program_and_suggests_what_works(spec: Path, tmp_path: Path) -> None:
    model = write_answers(tmp_path / "answers", PLAN, FILES)

    done = demo(
        tmp_path, "--spec", spec, "--llm", model, "--record", tmp_path / "recording", "--dir", "out here"
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "\nHello, world\n" in done.stdout
    out = tmp_path / "out here"
    log = git(out / "repo", "log", "--reverse", "--format=%an %s", "main")
    assert log.splitlines() == [
        "Workorder demo Start with nothing",
        "Workorder demo WO-01: Write scripts/verify.sh",
        "Workorder demo WO-02: Write name.txt",
    ]
    assert git(out / "repo", "status", "--porcelain") == ""
    for place in (out / "repo", out / "plan", out / "compile", out / "runs", tmp_path / "recording"):
        assert str(place) in done.stdout
        assert place.is_dir()

    # And what it suggests at its end works.
    suggested = done.stdout.partition("Look around:\n")[2].splitlines()
    assert len(suggested) == 3
    for line in suggested:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        descriptor = starts.forking_interpreter(tmp_path / "interpreter")
        shown = subprocess.run(
            shlex.split(line), env=environment, pass_fds=[descriptor], capture_output=True, text=True
        )
        assert shown.returncode == 0, shown.stderr
        assert "WO-02" in shown.stdout

    # And its recording answers without the model, in a directory of its own.
    shutil.rmtree(tmp_path / "answers")
    again = demo(tmp_path, "--spec", spec, "--llm", "replay:recording")
    assert again.returncode == 0, again.stderr
    assert "\nHello, world\n" in again.stdout
    assert len(list(tmp_path.glob("workorder-demo.*"))) == 1


def test_a_failed_step_is_named_and_can_be_gone_on_from(spec: Path, tmp_path: Path) -> None:
    model = write_answers(tmp_path / "answers", PLAN, FILES)
    answer = tmp_path / "answers" / "WO-02.json"
    answer.rename(answer.with_suffix(".later"))

    failed = demo(tmp_path, "--spec", spec, "--llm", model, "--dir", "out")
    answer.with_suffix(".later").rename(answer)
    again = demo(tmp_path, "--spec", spec, "--llm", model, "--dir", "out")

    assert failed.returncode == 3
    assert "error: step 4 failed with exit code 3: Build" in failed.stderr
    assert f"{tmp_path / 'out' / 'runs'}" in failed.stderr
    assert again.returncode == 0, again.stderr
    assert "2 of 2 work orders have landed on main" in again.stdout
    assert "WO-01: generating" not in again.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dir"], "--dir needs a value"),
        (["--model", "x"], "what is --model?"),
        (["--python", "/bin/true"], "--python names no interpreter that has the package"),
        (["--dir", "a product"], "--dir a product is not empty and not the directory of an earlier demo"),
    ],
    ids=["no value", "unknown", "no interpreter", "foreign directory"],
)
def test_bad_usage_is_refused(arguments: list[str], message: str, spec: Path, tmp_path: Path) -> None:
    done = demo(tmp_path, "--spec", spec, "--llm", "replay:nowhere", *arguments)
    assert done.returncode == 2
    assert f"error: {message}" in done.stderr
    assert [path.name for path in spec.parent.iterdir() if path.name not in ("spec.md", "show.sh")] == []


def test_a_wheel_holds_the_packages_and_the_templates(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True, timeout=60)
    (wheel,) = tmp_path.glob("*.whl")

    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}

    places = ("planner", "factory", "workorder", "templates")
    files = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", *places).split("\n")
    assert "planner/cli.py" in held
    packaged = {f"factory/_{name}" if name.startswith("templates/") else name for name in files if name}
    assert held == packaged | {"factory/_templates/spec-to-repo"}


@pytest.mark.timeout(900)
def test_the_bundled_recording_builds_the_bundled_specification(tmp_path: Path) -> None:
    # Each pass and each mutant of the recorded product starts its command line in more than fifty tests: that
    # the demo goes through all of them is tested above, with a product of two files.
    options = () if _WHOLE else ("--", "--mutants", "0", "--no-second-pass")
    done = demo(tmp_path, *options, really=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 of 6 work orders have landed on main" in done.stdout
    assert "Where everything is" in done.stdout


@pytest.mark.parametrize("line", ["startup", "command", "large_repo 1 50"])
def test_a_benchmark_runs(line: str) -> None:
    """What it measures is for a person to judge, on an idle machine; others take too long here."""
    name, *arguments = line.split()
    benchmark = SCRIPTS / "bench" / f"{name}.py"
    done = subprocess.run([sys.executable, benchmark, *(arguments or ["1"])], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "median" in done.stdout
    assert str(ROOT) not in done.stdout


def git(cwd: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout
