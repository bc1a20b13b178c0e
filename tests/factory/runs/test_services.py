"""Runs whose commands have services beside them, from `workorder.toml` and from a plan."""

from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.attempt.outcome import RunOutcome
from tests.support.answers import a_proposal
from tests.support.repositories import VERIFY_PASSES, a_work_order, git, make_repo
from tests.support.runs import Scene, read_object, summary_of

SERVER = """
import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        place = sys.argv[2] + "/seen"
        open(place, "a").write("x")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(open(place).read().encode())
    def log_message(self, *_): print("asked", flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
CONFIGURATION = """
[[services]]
name = "seen"
command = "python3 tools/server.py {port} {data}"
set = { SEEN_URL = "http://127.0.0.1:{port}/" }
"""
FILES = {**VERIFY_PASSES, "tools/server.py": SERVER, "workorder.toml": CONFIGURATION}
ASK = (
    "import os, sys, urllib.request as r;"
    " sys.exit(r.urlopen(os.environ['SEEN_URL']).read() != b'{}' or not os.path.exists('src/app.py'))"
)
COMMANDS = [f'python3 -c "{ASK.format(marks)}"' for marks in ("x", "xx")]


def test_commands_of_a_pass_share_what_the_service_has_stored_and_the_next_pass_begins_anew(
    tmp_path: Path,
) -> None:
    scene = Scene(make_repo(tmp_path / "repo", FILES), acceptance_commands=COMMANDS)

    finished = scene.run(red_probe=True, second_pass=True)

    assert finished.ending.exit_code is ExitCode.PASS, finished.ending
    assert finished.folder is not None
    attempt = finished.folder / "attempt_1"
    assert (attempt / "acceptance_1.seen.log.txt").read_text() == "asked\n"
    (recorded,) = read_object(finished.folder / "run.json")["services"]  # type: ignore[misc]
    assert recorded == {
        "name": "seen",
        "preset": "",
        "version": "",
        "declared_by": "configuration",
        "variables": ["SEEN_URL"],
        "port": None,
    }
    assert git(scene.repo, "show", "--stat", "--format=", "HEAD").split()[0] == "src/app.py"


@pytest.mark.parametrize("owner", ["configuration", "plan"])
def test_a_service_that_can_not_be_ready_ends_the_run_before_anything_is_paid(
    owner: str, tmp_path: Path
) -> None:
    broken = {"name": "broken", "command": "python3 -c 'print(\"no disk\"); exit(3)' {port}"}
    files = dict(VERIFY_PASSES)
    if owner == "configuration":
        files["workorder.toml"] = f"[[services]]\nname = 'broken'\ncommand = '''{broken['command']}'''\n"
    scene = Scene(make_repo(tmp_path / "repo", files))
    if owner == "plan":
        scene.stands_in_a_plan(a_work_order(), services=[broken])

    finished = scene.run()

    expected = ExitCode.ENVIRONMENT if owner == "configuration" else ExitCode.PLAN_DEFECT
    assert finished.ending.exit_code is expected
    assert finished.ending.outcome is RunOutcome.STOPPED
    assert "the service broken does not get ready: it ended with exit code 3" in finished.ending.message
    assert "no disk" in finished.ending.hint
    assert scene.asked == 0
    assert (scene.out / "baseline" / "services.broken.log.txt").read_text() == "no disk\n"


def test_an_attempt_that_breaks_the_service_has_failed_and_the_next_is_told(tmp_path: Path) -> None:
    files = {**FILES, "src/app.py": "print('old')\n"}
    scene = Scene(
        make_repo(tmp_path / "repo", files),
        [
            a_proposal(
                {"tools/server.py": "raise SystemExit('broken')\n"}, bases={"tools/server.py": SERVER}
            ),
            a_proposal({"tools/server.py": SERVER + "\n# better\n"}, bases={"tools/server.py": SERVER}),
        ],
        allowed_files=["tools/server.py"],
        acceptance_commands=["grep better tools/server.py"],
        postconditions=[],
    )

    finished = scene.run()

    assert finished.ending.exit_code is ExitCode.PASS, finished.ending
    first, second = finished.ending.attempts
    assert (first.passed, second.passed) == (False, True)
    assert first.failure is not None
    assert first.failure.message == "the service seen did not get ready: it ended with exit code 1"
    assert first.failure.excerpt == "broken"


def test_a_base_that_was_verified_with_other_services_is_verified_again(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo", FILES))
    assert scene.run().ending.exit_code is ExitCode.PASS
    identity = read_object(scene.out / "baseline" / "baseline_result.json")["identity"]
    git(scene.repo, "reset", "--quiet", "--hard", "HEAD~1")
    scene.model = Scene(scene.repo).model
    scene.stands_in_a_plan(
        a_work_order(), services=[{"name": "idle", "command": "sleep 60", "ready_command": "true"}]
    )

    assert scene.run().ending.exit_code is ExitCode.PASS

    assert read_object(scene.out / "baseline" / "baseline_result.json")["identity"] != identity
    assert summary_of(scene.run())["outcome"] == "already_landed"


def test_a_plan_that_contradicts_the_configuration_ends_before_anything_is_paid(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo", FILES))
    elsewhere = {"name": "seen", "command": "python3 other.py {port}"}
    scene.stands_in_a_plan(a_work_order(), services=[elsewhere])

    finished = scene.run()

    assert finished.ending.exit_code is ExitCode.PLAN_DEFECT
    assert finished.ending.message == (
        "/services/0: `seen` of the plan is services[0] of the repository's configuration,"
        " which has another `command`"
    )
    assert scene.asked == 0
