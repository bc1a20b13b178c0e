"""Commands of checks in a plain directory, with the environment of a gate and no sandbox."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from factory.environments.environment import Environment
from factory.gates.environment import gate_environment
from factory.gates.verdict.judgement import shortcoming
from factory.gates.verdict.observed import Observed, observe
from factory.system.process.command import Command
from tests.support.environments import bare


@dataclass(frozen=True)
class Judged:
    """How a command ended.

    Attributes:
        exit_code: what it returned.
        missing: what its proof lacks; empty if nothing.
        printed: what it printed.
        observed: all that is known of it.
    """

    exit_code: int | None
    missing: str
    printed: str
    observed: Observed

    @property
    def passed(self) -> bool:
        return self.exit_code == 0 and not self.missing


def judged(
    root: Path, command: str, *, directly: bool = False, packages: Environment | None = None
) -> Judged:
    """Run a command in `root` as a check runs it.

    Args:
        root: where it runs.
        command: as a plan has it.
        packages: what it finds beside its files; None for the bare environment.
        directly: whether it is started as it stands, so that no program of ours takes part.
    """
    scratch = root.parent / f"{root.name}-scratch"
    home, temporary = scratch / "home", scratch / "tmp"
    for folder in (home, temporary):
        folder.mkdir(parents=True, exist_ok=True)
    words = tuple(shlex.split(command))
    output = scratch / "output.txt"
    observed = observe(
        Command(
            # A program that the rewriting does not know.
            argv=("nice", "-n", "0", *words) if directly else words,
            cwd=root,
            env=gate_environment(os.environ, packages or bare(), home=home, temporary=temporary),
            timeout_seconds=60.0,
            stdout=output,
        )
    )
    outcome, ours = observed.outcome, observed.command
    missing = ""
    if ours is not None and outcome.exit_code is not None:
        missing = shortcoming(ours, observed.report, outcome.exit_code)
    return Judged(outcome.exit_code, missing, output.read_text("utf-8", "replace"), observed)
