"""Makes the commit that lands a work order: its message, its trailers, and the user's signature.

No branch is moved; that is in `landing`.
"""

import os
import tempfile
from collections.abc import Mapping, Set
from typing import Final

from factory.attempt.commit.authorship import Authorship
from factory.attempt.commit.message import commit_message
from factory.attempt.outcome import VerdictKind
from factory.attempt.summary import KillScores
from factory.configuration.committed import changed_hashes
from factory.contract.identity import contract_trailers
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.repository.landing import LandingFailed
from factory.repository.target import Refused
from factory.system.git.client import Git, GitError, said

SIGNING_SECONDS: Final = 30.0
"""How long a signature may take: a key that waits for a passphrase waits for ever."""

_AGENTS: Final = ("DBUS_SESSION_BUS_ADDRESS", "GNUPGHOME", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR")
"""The variables by which the programs that sign find the user's keys and agents."""

_HINT: Final = (
    "load the key into an agent, so that `git commit -S` asks nothing; or land unsigned commits:"
    " git config commit.gpgSign false"
)


def make_commit(
    git: Git,
    order: WorkOrder,
    *,
    summaries: tuple[str, ...],
    run_id: str,
    known_by: VerdictKind,
    environment: str,
    authorship: Authorship,
    tree: str,
    parent: str,
    accepted: Set[RepoPath],
    scores: KillScores | None,
    removed: int,
    signed: bool | None = None,
) -> str:
    """Make the commit of a passed attempt, signed where the user's git signs commits.

    Args:
        git: the user's repository.
        order: the work order.
        summaries: the model's own words about its proposal, after those about what it repairs.
        run_id: the run.
        known_by: how it can be known that the acceptance commands passed.
        environment: the hash of the environment that they passed in.
        authorship: who wrote the files.
        tree: the commit's tree.
        parent: its parent.
        accepted: the files of the user's configuration whose change a person accepted.
        scores: how many changes of what was written its checks noticed; None if none were tried.
        removed: how many tests that passed before it removed.
        signed: whether the user's git signs commits; None to ask it.

    Returns:
        The commit's full id.

    Raises:
        LandingFailed: it can't be signed.
        GitError: git failed.
    """
    hashes = changed_hashes(git, parent, tree, accepted & {*order.allowed_files, *authorship.widened})
    contract = contract_trailers(order)[0]
    *repaired, summary = summaries
    message = commit_message(
        order, summary, contract, run_id, known_by, environment, authorship, hashes, scores, removed, repaired
    ).encode("utf-8")
    return commit_tree(git, tree, parent, message, signed=signed)


def commit_tree(git: Git, tree: str, parent: str, message: bytes, *, signed: bool | None = None) -> str:
    """Make a commit, signed where the user's git signs commits.

    Args:
        git: the user's repository.
        tree: the commit's tree.
        parent: its parent.
        message: its message.
        signed: whether the user's git signs commits; None to ask it.

    Returns:
        The commit's full id.

    Raises:
        LandingFailed: it can't be signed.
        GitError: git failed.
    """
    if not (signs(git) if signed is None else signed):
        return git.text("commit-tree", tree, "-p", parent, "-F", "-", stdin=message)
    commit, complaint = _signed(git, tree, parent, message, SIGNING_SECONDS)
    if complaint:
        raise LandingFailed(
            f"the commit can't be signed: {complaint}",
            where=str(git.work_tree),
            hint=f"{_HINT}; then run again: the stored answers are used",
        )
    return commit


def require_signature(git: Git, commit: str, seconds: float = SIGNING_SECONDS) -> None:
    """Refuse to start where commits are to be signed and can't be; nothing is left in the repository.

    Args:
        git: the user's repository.
        commit: any commit of it.
        seconds: how long the signature may take.

    Raises:
        Refused: git signs the user's commits, but not unattended.
        GitError: git failed.
    """
    if not signs(git):
        return
    with tempfile.TemporaryDirectory(prefix="workorder-") as folder:
        objects = git.common_dir / "objects"
        # The commit that is tried becomes no part of the repository.
        elsewhere = {"GIT_OBJECT_DIRECTORY": folder, "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects)}
        tree = git.text("rev-parse", "--verify", f"{commit}^{{tree}}")
        _, complaint = _signed(git, tree, commit, b"A signature is tried\n", seconds, elsewhere)
    if complaint:
        raise Refused(
            f"commit.gpgSign is set, and a commit can't be signed unattended: {complaint}",
            where=str(git.work_tree),
            hint=_HINT,
        )


def signs(git: Git) -> bool:
    """Whether the user's git signs commits.

    Raises:
        GitError: the setting is no truth value.
    """
    asked = git.call("config", "--type=bool", "--get", "commit.gpgSign")
    if asked.exit_code not in (0, 1):
        raise GitError(f"commit.gpgSign can't be read: {said(asked)}", where=str(git.work_tree))
    return asked.stdout.strip() == b"true"


def _signed(
    git: Git, tree: str, parent: str, message: bytes, seconds: float, more: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """The signed commit's id, or else why there is none."""
    # Nobody answers: no terminal, no window that asks for a passphrase.
    environment = {"SSH_ASKPASS_REQUIRE": "never", **(more or {})}
    environment |= {name: os.environ[name] for name in _AGENTS if name in os.environ}
    done = git.call(
        "commit-tree", "-S", tree, "-p", parent, "-F", "-",
        stdin=message, env=environment, seconds=seconds,
    )  # fmt: skip
    if done.timed_out:
        return "", f"no signature came within {seconds:.0f} seconds"
    return (done.stdout.decode("ascii").strip(), "") if done.ok else ("", said(done))
