"""Runs trusted tools that answer at once, such as git, and keeps what they say in memory."""

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
) -> Captured:
    """Run a trusted tool and keep its output in memory.

    It is never looked for relative to `cwd`, which may be a checkout. It runs in a session of its own, so
    that Ctrl-C at the terminal reaches the factory and not the tool. It ends by itself even if the factory is
    killed; the locks with the descriptors `held` are held until then.

    Raises:
        FileNotFoundError: the tool is not installed.
    """
    done = subprocess.run(
        list(argv),
        cwd=cwd,
        env=leading_nowhere_else(env),
        input=stdin,
        capture_output=True,
        start_new_session=True,
        pass_fds=held,
        check=False,
    )
    return Captured(done.returncode, done.stdout, done.stderr)
