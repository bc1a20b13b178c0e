"""`doctor`: what it finds is what a run would meet; it says how to fix it, and no secret."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from factory.commands.diagnosis.diagnose import Diagnosis, Observation, as_json, as_text, diagnose
from factory.system.sandbox.kernel.find import find_control_groups
from factory.system.sandbox.levels.choose import levels
from factory.system.sandbox.levels.self_attack import broken_out
from factory.system.sandbox.levels.unconfined import Unconfined
from tests.support.repositories import VERIFY_PASSES, make_repo, write_work_order


def finding(diagnosis: Diagnosis, name: str) -> Observation:
    (observation,) = (finding for finding in diagnosis.findings if finding.name == name)
    return observation


def test_where_a_sandbox_works_a_run_would_not_be_refused() -> None:
    if all(level.sandbox is None for level in levels(os.environ)):
        pytest.skip("no sandbox works here")

    diagnosis = diagnose(os.environ)

    assert (diagnosis.would_run, diagnosis.exit_code) == (True, 0)
    assert finding(diagnosis, "self-attack").state == "ok"
    assert as_text(diagnosis).endswith(f"a run would use the sandbox `{diagnosis.sandbox}`")


def test_the_self_attack_works_where_nothing_protects() -> None:
    succeeded = broken_out(Unconfined())

    assert succeeded is not None
    assert {"read a file outside", "write to a file outside", "connect to the machine"} <= set(succeeded)


def test_what_is_missing_is_told_with_a_fix() -> None:
    diagnosis = diagnose({"PATH": "/nowhere"}, requested="bwrap")

    assert (diagnosis.would_run, diagnosis.exit_code, diagnosis.sandbox) == (False, 1, None)
    for name in ("git", "sandbox"):
        assert finding(diagnosis, name).state == "error"
    lines = as_text(diagnosis).splitlines()
    assert "        apt-get install git" in lines
    assert "        apt-get install bubblewrap" in lines
    assert lines[-1] == "a run would be refused"


def test_to_do_without_is_a_warning() -> None:
    diagnosis = diagnose(os.environ, requested="none", allow_unsandboxed=True)

    assert (diagnosis.sandbox, diagnosis.would_run, finding(diagnosis, "sandbox").state) == (
        "none",
        True,
        "warning",
    )


def without_control_groups(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """The factory on a machine whose control groups are out of reach; skips the test if there is no way."""
    words = (
        "bwrap",
        "--dev-bind",
        "/",
        "/",
        "--tmpfs",
        "/sys/fs/cgroup",
        "--",
        sys.executable,
        "-m",
        "factory",
    )
    if shutil.which("bwrap") is None or subprocess.run([*words, "--version"], capture_output=True).returncode:
        pytest.skip("bubblewrap, which hides the control groups, does not work here")
    return subprocess.run([*words, *arguments], capture_output=True, text=True)


def test_without_control_groups_it_is_told_what_the_watch_alone_keeps() -> None:
    done = without_control_groups("doctor", "--json", "--sandbox", "none", "--allow-unsandboxed")

    kept = next(
        observation for observation in json.loads(done.stdout)["findings"] if observation["name"] == "bounds"
    )
    assert (kept["state"], "memory by the watch alone; " in kept["found"]) == ("warning", True)
    assert [line for line in kept["fix"] if line.startswith(("systemd-run ", "docker run "))] != []


def test_what_bounds_processes_and_memory_is_told() -> None:
    kept = finding(diagnose(os.environ, requested="none", allow_unsandboxed=True), "bounds")

    discovery = find_control_groups()
    if discovery.groups is None or discovery.reason:
        pytest.skip(discovery.reason)
    by_group = f"control group v{discovery.groups.version}"
    assert (kept.state, kept.found) == ("ok", f"processes by {by_group}, memory by {by_group}")


def test_strict_limits_refuse_what_the_watch_alone_would_keep(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", VERIFY_PASSES)
    order = write_work_order(tmp_path / "WO-01.json", acceptance_commands=["test -f src/app.py"])
    inputs = ("--repo", str(repo), "--work-order", str(order), "--out", str(tmp_path / "out"))

    done = without_control_groups(
        *(
            "run",
            *inputs,
            "--llm",
            "command:false",
            "--strict-limits",
            "--sandbox",
            "none",
            "--allow-unsandboxed",
        )
    )

    assert (done.returncode, "--strict-limits: limits on " in done.stderr) == (2, True), done.stderr
    assert "would be kept by the watch alone" in done.stderr


def test_keys_are_told_and_never_their_values() -> None:
    diagnosis = diagnose({**os.environ, "OPENAI_API_KEY": "sk-very-secret"})

    assert finding(diagnosis, "OPENAI_API_KEY").found.startswith("set")
    assert finding(diagnosis, "OPENAI_BASE_URL").found.startswith("not set")
    assert "sk-very-secret" not in as_text(diagnosis) + json.dumps(as_json(diagnosis))


def test_the_document_holds_every_finding() -> None:
    diagnosis = diagnose(os.environ)
    document = as_json(diagnosis)

    assert json.loads(json.dumps(document)) == document
    assert document["would_run"] is diagnosis.would_run
    listed = document["findings"]
    assert isinstance(listed, list)
    assert [listed_finding["name"] for listed_finding in listed if isinstance(listed_finding, dict)] == [
        observation.name for observation in diagnosis.findings
    ]


def test_what_is_found_is_harmless_on_a_terminal() -> None:
    diagnosis = Diagnosis(findings=(Observation(name="x", state="ok", found="\x1b[2J"),), sandbox="bwrap")

    assert "\x1b" not in as_text(diagnosis)
    assert sys.executable in finding(diagnose(os.environ), "python").found
