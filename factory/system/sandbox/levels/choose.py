"""Finds the strongest sandbox that works here, by running it; refuses when none does that was asked for."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from factory.system.process.capture import capture
from factory.system.process.command import Command, Outcome
from factory.system.process.environment import searched_places
from factory.system.process.launch import run
from factory.system.sandbox.levels import bwrap, landlock
from factory.system.sandbox.levels.advice import INSTALL, advice_for
from factory.system.sandbox.levels.orders import interpreter
from factory.system.sandbox.levels.ownership import hand_over
from factory.system.sandbox.levels.seccomp import ARCHITECTURES
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.policy import Policy
from factory.system.sandbox.port import Confinement, Sandbox, SandboxRefused
from factory.system.sandbox.visible import needed

Requested = Literal["auto", "bwrap", "landlock", "none"]

_PROBE_SECONDS: Final = 30.0


@dataclass(frozen=True)
class Level:
    """What came of trying one level.

    Attributes:
        name: the level.
        sandbox: it, if it works here.
        reason: why it does not, a clause; empty if it does.
        remedies: what to do about it, each a line.
    """

    name: str
    sandbox: Sandbox | None
    reason: str = ""
    remedies: tuple[str, ...] = ()


def choose(
    requested: Requested,
    *,
    allow_unsandboxed: bool,
    environment: Mapping[str, str],
    in_place: bool = False,
) -> Sandbox:
    """The strongest sandbox of those that were asked for.

    Args:
        requested: a level; `bwrap` stands for both of bubblewrap's, `auto` for all but `none`.
        allow_unsandboxed: whether the user has said that `none` may be used.
        environment: the factory's own environment; bubblewrap is looked up on its PATH.
        in_place: whether commands will work in the user's own checkout, which Landlock can't protect.

    Raises:
        SandboxRefused: none of them works here; the message names the reason for each and the remedy.
    """
    if requested == "none":
        if not allow_unsandboxed:
            raise SandboxRefused(
                "generated code would run without a sandbox",
                where="--sandbox none",
                hint="add --allow-unsandboxed if it may do whatever you may do",
            )
        return Unconfined()
    tried = []
    for level in levels(environment, in_place=in_place):
        if not _is_asked_for(level.name, requested):
            continue
        if level.sandbox is not None:
            return level.sandbox
        tried.append(level)
    reasons = "; ".join(f"{level.name}: {level.reason}" for level in tried)
    remedies = dict.fromkeys(line for level in tried for line in level.remedies)
    raise SandboxRefused(
        f"no sandbox works here ({reasons})",
        where=f"--sandbox {requested}",
        hint="\n        ".join(
            (*remedies, "or let generated code do whatever you may do: --sandbox none --allow-unsandboxed")
        ),
    )


def levels(environment: Mapping[str, str], *, in_place: bool = False) -> Iterator[Level]:
    """Each level, strongest first, tried when the iteration reaches it; arguments as for `choose`."""
    if os.uname().sysname != "Linux" or os.uname().machine not in ARCHITECTURES:
        system = f"{os.uname().sysname} on {os.uname().machine}"
        for name in ("bwrap", "landlock"):
            yield Level(name, None, f"there is no sandbox for {system} yet")
        return
    yield from _bubblewraps(environment)
    yield _landlock(in_place)


def _is_asked_for(level: str, requested: Requested) -> bool:
    return requested == "auto" or level == requested or (requested == "bwrap" and level == "bwrap-noproc")


def _bubblewraps(environment: Mapping[str, str]) -> Iterator[Level]:
    # Of a relative place, the command's own checkout could be the one.
    places = searched_places({"PATH": environment.get("PATH", os.defpath)})
    executable = shutil.which("bwrap", path=os.pathsep.join(places))
    if executable is None:
        yield Level("bwrap", None, "bubblewrap is not installed", INSTALL)
        return
    said = capture([executable, "--version"], cwd=None, env={}).stdout.decode("utf-8", "replace")
    numbers = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
    version = tuple(map(int, numbers.groups())) if numbers else (0,)
    if numbers is None or version < bwrap.MINIMUM_VERSION:
        oldest = ".".join(map(str, bwrap.MINIMUM_VERSION))
        reason = (
            f"{executable} is {numbers[0] if numbers else 'unknown'}, and {oldest} is the oldest that serves"
        )
        yield Level("bwrap", None, reason, ("upgrade bubblewrap",))
        return
    # Root that only looks like a user inside is the last resort.
    roots: tuple[bwrap.Root, ...] = ("becomes a user", "mapped") if os.geteuid() == 0 else ("no",)
    for new_proc in (True, False):
        yield _first_that_works(
            "bwrap" if new_proc else "bwrap-noproc",
            [bwrap.Bubblewrap(executable, numbers[0], new_proc, root) for root in roots],
        )


def _landlock(in_place: bool) -> Level:
    if in_place:
        return Level(
            "landlock", None, "it can't protect the .git of your own checkout", ("leave out --in-place",)
        )
    abi = landlock.abi()
    if abi < landlock.MINIMUM_ABI:
        return Level(
            "landlock",
            None,
            f"the kernel has it switched off, or too old (ABI {abi}, and {landlock.MINIMUM_ABI} is needed)",
            ("boot a kernel from 6.2 on with `landlock` in its lsm= list",),
        )
    users = (True, False) if os.geteuid() == 0 else (False,)
    return _first_that_works("landlock", [landlock.LandlockDomain(abi, becomes) for becomes in users])


def _first_that_works(name: str, candidates: list[Sandbox]) -> Level:
    complaint = ""
    for sandbox in candidates:
        problem = probe(sandbox)
        if problem is None:
            return Level(name, sandbox)
        complaint = complaint or problem
    advice = advice_for(complaint)
    return Level(name, None, advice.reason, advice.remedies)


def probe(sandbox: Sandbox) -> str | None:
    """Run a command that does nothing in the sandbox; what it complained about, or None if it works."""
    outcome, printed = in_probe_checkout(
        sandbox, lambda _policy: (str(interpreter()), "-I", "-S", "-c", "open('x', 'w')")
    )
    if outcome is None or outcome.sandbox_failed is not None:
        return printed
    return None if outcome.ok else (printed or outcome.not_started or "a command in it fails")


def in_probe_checkout(
    sandbox: Sandbox, argv: Callable[[Policy], tuple[str, ...]]
) -> tuple[Outcome | None, str]:
    """Run a command in a sandbox around an empty checkout that is removed afterwards.

    Args:
        sandbox: the sandbox.
        argv: makes the command, given the policy that it will run under.

    Returns:
        How it ended, None if it could not even be prepared; and what it printed, or why it could not.
    """
    with tempfile.TemporaryDirectory(prefix="workorder-probe-") as name:
        place = Path(name).resolve()
        root, home, temporary, shared = places = [
            place / name for name in ("checkout", "home", "tmp", "shared")
        ]
        for folder in places:
            folder.mkdir()
        environment = {"PATH": os.defpath, "HOME": str(home), "TMPDIR": str(temporary)}
        policy = Policy(root, home, temporary, shared, visible=needed(environment, os.environ))
        output = place / "output"
        confined = Confinement(sandbox, policy)
        try:
            owner = sandbox.owner_of(root)
            if owner is not None:
                hand_over([root], owner)
            outcome = run(Command(argv(policy), root, environment, _PROBE_SECONDS, output, confined=confined))
        except OSError as error:
            return None, str(error)
        return outcome, output.read_bytes().decode("utf-8", "backslashreplace").strip()
