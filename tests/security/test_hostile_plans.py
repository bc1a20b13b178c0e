"""What a hostile plan says, executed by whole runs: its commands get nothing, its paths are refused."""

import shlex
from typing import Any

import pytest

from factory.attempt.exit_codes import ExitCode
from tests.security.scene import USERS
from tests.security.victim import UNPROTECTED, WHOLE_RUNS, Victim, a_victim
from tests.support.answers import a_proposal
from tests.support.repositories import VERIFY_PASSES, files_of

IDENTITY = "-c user.name=x -c user.email=x@x"

COMMANDS = {
    "reads a file of the user": "grep -q canary PLACE/outside/secret",
    "reads an ignored file of the user": "grep -q canary PLACE/repo/.env",
    "reads a file above the checkout": "grep -qs canary ../../../outside/secret",
    "finds the factory's environment": "grep -qs FACTORY_CANARY=PLACE_NAME /proc/[0-9]*/environ",
    "overwrites a file of the user": "cp README.md PLACE/outside/secret",
    "changes the home": "sh -c 'echo x >> PLACE/user/.bashrc'",
    "writes a hook": "cp README.md PLACE/repo/.git/hooks/post-commit",
    "configures the user's repository": "git -C PLACE/repo config core.fsmonitor ./attack",
    "makes a branch": "git -C PLACE/repo branch attack",
    "pushes into the user's repository": "git push -q PLACE/repo HEAD:refs/heads/pushed",
    "commits in the user's checkout": f"git -C PLACE/repo {IDENTITY} commit -q --allow-empty -m x",
    # On the way to the objects, bubblewrap makes empty directories in memory that have the same names.
    "takes a lock in it": "sh -c 'test -e PLACE/repo/.git/HEAD && echo > PLACE/repo/.git/index.lock'",
    "forges the run's record": "sh -c 'for f in PLACE/out/*/run.json; do echo >> $f; done'",
    "changes the work order": "sh -c 'echo >> PLACE/orders/WO-01.json'",
    "connects to the machine": (
        "python -c 'import socket; socket.create_connection((\"127.0.0.1\", PORT), 5)'"
    ),
    "moves a file of the user": "mv PLACE/outside/base PLACE/outside/moved",
}
ALWAYS_BREACHES = "true"
"""Shows that a command which gets what it wants is noticed."""


def executed(victim: Victim, *options: str) -> tuple[int, set[str]]:
    """Run a work order with all the commands; the exit code, and the names of those that succeeded."""
    told = []
    for name, command in {**COMMANDS, ALWAYS_BREACHES: ALWAYS_BREACHES}.items():
        command = command.replace("PLACE_NAME", victim.place.name).replace("PLACE", str(victim.place))
        command = command.replace("PORT", str(victim.port))
        # Each in a shell of its own, as commands are.
        told.append(f"if {shlex.join(['sh', '-c', command])}; then echo {shlex.quote(f'BREACH {name}')}; fi")
    code = victim.runs(
        *options,
        answers=(a_proposal(),),
        files=VERIFY_PASSES,
        shown=True,
        acceptance_commands=[shlex.join(["sh", "-c", "\n".join(told)])],
    )
    lines = victim.printed("acceptance_1").splitlines()
    return code, {line.removeprefix("BREACH ") for line in lines if line.startswith("BREACH ")}


@pytest.mark.parametrize(("user", "level"), WHOLE_RUNS)
def test_the_commands_of_a_plan_get_nothing(user: str, level: str) -> None:
    with a_victim(user) as victim:
        code, breaches = executed(victim, "--sandbox", level)

        assert code == ExitCode.PASS, victim.transcript()
        assert breaches == {ALWAYS_BREACHES}
        assert victim.state() == victim.before
        assert victim.landed() == {*VERIFY_PASSES, ".gitignore", "src/app.py"}


def test_without_a_sandbox_they_would_get_it() -> None:
    with a_victim(USERS[-1]) as victim:
        _, breaches = executed(victim, *UNPROTECTED)

        assert set(COMMANDS) - breaches == set()


FIELDS = {
    "writes git's configuration": {"allowed_files": [".git/config"]},
    "writes a hook in another case": {"allowed_files": ["sub/.GIT/hooks/x"]},
    "writes outside": {"allowed_files": ["../outside/secret"]},
    "writes to the system": {"allowed_files": ["/nowhere/attack"]},
    "shows a model a file outside": {"context_files": ["../outside/secret"]},
    "shows a model a file of the system": {"context_files": ["/etc/passwd"]},
    "shows a model git's data": {"context_files": [".git/config"]},
    "asks about a file outside": {"preconditions": [{"kind": "file_exists", "path": "../user/.bashrc"}]},
    "promises a file outside": {"postconditions": [{"kind": "file_exists", "path": "../x"}]},
    "forbids nothing": {"forbidden": ["../"]},
    "names its artifacts": {"id": "../../outside"},
    "hides in an escape sequence": {"allowed_files": ["a\x1b[2J\x1b]0;owned\x07.py"]},
    "hides in an unknown key": {"\x1b[2J": 1},
}  # fmt: skip


@pytest.mark.parametrize("fields", FIELDS.values(), ids=FIELDS)
def test_a_plan_that_leaves_the_repository_is_refused_before_a_model_is_asked(
    fields: dict[str, Any],
) -> None:
    with a_victim(USERS[0]) as victim:
        code = victim.runs(answers=(a_proposal(),), files={}, **fields)

        assert code == ExitCode.REFUSED, victim.transcript()
        assert "\x1b" not in victim.transcript()
        assert "Traceback" not in victim.transcript()
        assert victim.state() == victim.before
        assert not (victim.place / "out").exists()
        assert set(files_of(victim.place / "model")) == {"answer.py"}
