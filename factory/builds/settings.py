"""What a user asks of a build, and how it ended. Values."""

from dataclasses import dataclass
from pathlib import Path

from factory.builds.state.model import BuildState, Ended
from factory.runs.settings import AttemptSettings


@dataclass(frozen=True)
class BuildSettings:
    """What the user asked for.

    Attributes:
        repo: the repository's root.
        plan: the plan's directory or manifest.
        out: the directory for the state and the run folders.
        branch: the branch to land on; None for the one checked out.
        attempts: how each work order is attempted.
        jobs: how many work orders are executed at a time.
        keep_going: whether what does not depend on a failed work order goes on.
        deadline_seconds: how long the build may take; None for no limit.
        accept_plan: whether another plan than the build was started with is accepted.
        rebuild_state: whether the state is derived again, whatever `state.json` holds.
        baseline_red: whether it is accepted that the repository's own verification fails already.
        require_approval: whether only what a person has approved is built.
        ledger: the directory in which answers are remembered.
        retried: the work order that alone is tried anew of those that have failed; None for all of them.
    """

    repo: Path
    plan: Path
    out: Path
    branch: str | None
    attempts: AttemptSettings
    jobs: int = 1
    keep_going: bool = False
    deadline_seconds: float | None = None
    accept_plan: bool = False
    rebuild_state: bool = False
    baseline_red: bool = False
    require_approval: bool = False
    ledger: Path | None = None
    retried: str | None = None


@dataclass(frozen=True)
class Built:
    """How a build ended, and its last state; None if it was refused before it had one."""

    ended: Ended
    state: BuildState | None
