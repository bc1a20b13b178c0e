"""A real server of `factory serve` in a process of its own, and a client that says what it is told to."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode


@dataclass(frozen=True)
class Answered:
    """An answer: its status, its headers by their names in small letters, and its text."""

    status: int
    headers: Mapping[str, str]
    text: str


@dataclass
class Served:
    """A server.

    Attributes:
        address: what it printed.
        port: its port.
        cookie: what a browser would send along.
    """

    address: str
    port: int
    cookie: str = ""

    def ask(self, path: str, form: Mapping[str, str] | None = None, **headers: str) -> Answered:
        """Ask for something as the browser would; `headers` replace or add some, underscores are hyphens."""
        own = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie}
        if form is not None:
            own |= {
                "Origin": f"http://127.0.0.1:{self.port}",
                "Content-Type": "application/x-www-form-urlencoded",
            }
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        body = None if form is None else urlencode(form)
        connection.request("GET" if form is None else "POST", path, body, own)
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        text = answer.read().decode()
        connection.close()
        return Answered(answer.status, found, text)

    def enter(self) -> None:
        """Open the address, and keep the cookie."""
        self.cookie = (
            self.ask(self.address.partition(str(self.port))[2]).headers["set-cookie"].partition(";")[0]
        )


@contextmanager
def served(out: Path, cwd: Path) -> Iterator[Served]:
    """A server of the builds in a directory.

    Args:
        out: the directory.
        cwd: where it runs, whose git says who acts.
    """
    root = Path(__file__).resolve().parents[2]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "factory", "serve", "--out", str(out)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address, process.communicate()[1]
        yield Served(address, int(address.partition("/?")[0].rpartition(":")[2]))
    finally:
        process.send_signal(signal.SIGINT)
        _, problems = process.communicate(timeout=20)
    assert (process.returncode, problems.splitlines()[-1]) == (0, "no longer served"), problems
