"""Runs trusted tools that answer at once, such as git, and keeps what they say in memory."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factory.system.process.environment import leading_nowhere_else


@dataclass(frozen=True)
class Captured:
    """What a trusted tool answered."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool = False

    @property
    def ok(self) -> bool:
        return self.exit_code == 0


def capture(
    argv: Sequence[str],
    *,
    cwd: Path | None,
    env: Mapping[str, str],
    stdin: bytes = b"",
    held: Sequence[int] = (),
    seconds: float | None = None,
) -> Captured:
    """Run a trusted tool and keep its output in memory.

    It is never looked for relative to `cwd`, which may be a checkout. It runs in a session of its own, so
    that Ctrl-C at the terminal reaches the factory and not the tool. It ends by itself even if the factory is
    killed; the locks with the descriptors `held` are held until then. One that may ask a person something
    gets `seconds`, and is then killed with all that it started in its session.

    Raises:
        FileNotFoundError: the tool is not installed.
    """
    with subprocess.Popen(
        list(argv),
        cwd=cwd,
        env=leading_nowhere_else(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=held,
    ) as tool:
        late = False
        try:
            stdout, stderr = tool.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired:
            late = True
            os.killpg(tool.pid, signal.SIGKILL)
            stdout, stderr = tool.communicate()
        except BaseException:
            tool.kill()
            raise
    return Captured(tool.returncode, stdout, stderr, timed_out=late)
