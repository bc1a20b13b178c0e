"""Where a branch may go on from here: what is checked out, and where it can be pushed. Only reads."""

import os
from dataclasses import dataclass
from typing import Final, Literal

from factory.system.git.client import Git

_MAIN: Final = "origin"


@dataclass(frozen=True)
class Onward:
    """What is known of a repository's surroundings.

    Attributes:
        checked_out: the branch that is checked out; empty if none is.
        remote: the remote that the branch is pushed to; empty if the repository has none.
        forge: what is known to be behind it.
    """

    checked_out: str = ""
    remote: str = ""
    forge: Literal["", "github", "gitlab"] = ""


def onward(git: Git, branch: str) -> Onward:
    """Where a branch may go.

    Args:
        git: the repository.
        branch: the branch's name.
    """
    _, ref = git.head()
    checked_out = ref.removeprefix("refs/heads/") if ref is not None else ""
    remotes = _said(git, "remote").split()
    own = _said(git, "config", "--get", f"branch.{branch}.remote")
    remote = next((name for name in (own, _MAIN, *remotes) if name in remotes), "")
    return Onward(
        checked_out, remote, _forge(_said(git, "remote", "get-url", "--push", remote) if remote else "")
    )


def _forge(url: str) -> Literal["", "github", "gitlab"]:
    """Who runs the server: its name tells. The URL may hold a password, and is never shown."""
    host = url.partition("://")[2] or url
    host = host.partition("/")[0].rpartition("@")[2].partition(":")[0].lower()
    if host == "github.com" or host.startswith("github."):
        return "github"
    return "gitlab" if host == "gitlab.com" or host.startswith("gitlab.") else ""


def _said(git: Git, *arguments: str) -> str:
    """What git answers; nothing if it fails."""
    done = git.call(*arguments)
    return os.fsdecode(done.stdout).strip() if done.ok else ""
