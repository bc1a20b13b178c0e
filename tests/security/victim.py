"""A user with private things, whose `factory run` executes what a hostile plan or a hostile model says."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

from factory.environments.cache import CACHE_VARIABLE
from tests.security.attacks import PLAIN
from tests.security.scene import CHECKOUT, USERS, account_of, give
from tests.support.answers import answering_program
from tests.support.environments import bare
from tests.support.repositories import Files, files_of, git, make_repo, write_files, write_work_order
from tests.support.starts import start

LEVELS = ("bwrap", "landlock")
# Each level and each user; what holds of one level for one user is for the tests of single commands.
WHOLE_RUNS = ((USERS[0], "bwrap"), (PLAIN, "landlock"))
UNPROTECTED = ("--sandbox", "none", "--allow-unsandboxed")

# What each attack is written in: it has `place`, and says by `breach` that it got what it must not.
HELPERS = """
import os, pathlib, signal, socket, subprocess, sys, time
place, port = pathlib.Path({place!r}), {port}
repo = place / "repo"
def the_factory():
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            words = (entry / "cmdline").read_bytes().split(b"\\0")
            if b"factory" in words and bytes(repo) in words:
                return entry
"""


class Victim:
    """The user.

    Attributes:
        place: the directory that holds all that is theirs.
        repo: the repository; `.env` is ignored.
        port: of a server of theirs on this machine.
        before: `state` when the run began.
        output: what the last run printed on both streams, raw.
    """

    def __init__(self, place: Path, user: str, port: int) -> None:
        self.place, self.repo, self.port = place, place / "repo", port
        self.output = b""
        self.before: dict[str, object] = {}
        self._user = user

    def runs(
        self, *options: str, answers: tuple[str, ...], files: Files, shown: bool = False, **order: object
    ) -> int:
        """Run a work order; the exit code.

        Args:
            options: of the command line.
            shown: whether /proc shows its command line and environment, for attacks that look for them.
            answers: what the model says, one after the other.
            files: what the repository holds beside its README.
            order: fields of the work order.
        """
        make_repo(self.repo, {"README.md": "a product\n", ".gitignore": ".env\n", **files})
        write_files(self.repo, {".env": "SECRET=canary\n"})
        (self.repo / ".git/hooks").mkdir()
        llm = answering_program(self.place / "model/answer.py", *answers)
        work_order = write_work_order(self.place / "orders/WO-01.json", **order)  # type: ignore[arg-type]
        give(self.place, self._user)
        self.before = self.state()
        # An ordinary user can use what is kept, and not make it.
        bare()
        argv = [
            *(sys.executable, "-m", "factory", "run", "--repo", str(self.repo)),
            *("--work-order", str(work_order), "--out", str(self.place / "out"), "--llm", llm),
            # The commands of attacks prove nothing, and need not fail before, nor pass again.
            *("--max-attempts", str(len(answers)), "--no-red-probe", "--no-second-pass", "--mutants", "0"),
            *options,
        ]
        environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.place / "user"),
            "TMPDIR": str(self.place / "tmp"),
            "FACTORY_CANARY": self.place.name,
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            CACHE_VARIABLE: os.environ[CACHE_VARIABLE],
        }
        account = account_of(self._user)
        with (self.place / "transcript").open("w+b") as transcript:
            printed = transcript.fileno()
            if shown or account:
                # A real start.
                code: int = subprocess.run(
                    argv,
                    cwd=CHECKOUT,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=printed,
                    timeout=100,
                    check=False,
                    **account,
                ).returncode
            else:
                code = start(argv, cwd=CHECKOUT, env=environment, stdout=printed, stderr=printed).wait(100)
            transcript.seek(0)
            self.output = transcript.read()
        if b"no sandbox works here" in self.output:
            pytest.skip(self.transcript())
        return code

    def state(self) -> dict[str, object]:
        """All that is the user's, but the files that are tracked and what the run itself records."""
        own = self.repo / ".git"
        trusted = ("-c", f"safe.directory={self.repo}")
        tracked = set(git(self.repo, *trusted, "ls-files").splitlines())
        return {
            "beside": {name: files_of(self.place / name) for name in ("outside", "user", "tmp", "orders")},
            "untracked": {name: data for name, data in files_of(self.repo).items() if name not in tracked},
            "branches": git(self.repo, *trusted, "for-each-ref", "--format=%(refname)"),
            "config": (own / "config").read_bytes(),
            "head": (own / "HEAD").read_bytes(),
            "hooks": files_of(own / "hooks"),
            "changes": git(self.repo, *trusted, "status", "--porcelain"),
        }

    def landed(self) -> set[str]:
        """The files that the tip of the branch holds."""
        return set(git(self.repo, "-c", f"safe.directory={self.repo}", "ls-files").splitlines())

    def printed(self, command: str, attempt: int = 1) -> str:
        """The stored output of a command."""
        (path,) = self.place.glob(f"out/*/attempt_{attempt}/{command}.output.txt")
        return path.read_text("utf-8", "replace")

    def transcript(self) -> str:
        """What the last run printed, as text."""
        return self.output.decode("utf-8", "replace")


@contextmanager
def a_victim(user: str) -> Iterator[Victim]:
    """Within the block there is a user with private things; afterwards nothing of it is left."""
    # Not in the directory of the tests, which is closed to other users.
    place = Path(mkdtemp(prefix="workorder-victim-", dir="/tmp")).resolve()
    # As a directory of temporary files is: a user of root's throw-away checkout must pass it.
    place.chmod(0o755)
    try:
        for name in ("user", "tmp", "outside/base"):
            (place / name).mkdir(parents=True)
        write_files(place, {"outside/secret": "canary", "user/.bashrc": "x\n", "outside/base/kept": "x"})
        with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
            yield Victim(place, user, server.getsockname()[1])
    finally:
        shutil.rmtree(place)
