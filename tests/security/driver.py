"""Runs programs in the sandbox, as the user that it was started as, and tells what came of it.

    python -m tests.security.driver < ORDERS

A process of its own, so that one test can run it as root and another as an ordinary user. Orders and replies
are lines of JSON, one after the other. An order names a level, a place, who keeps limits (`kernel` for
commands in control groups of their own, or `watch` for none) and the requests. For each there is a child,
which says its number and then how the programs ended; `null` where it was killed. So what all of them
import and find out about this machine is paid for once.
"""

import functools
import gc
import json
import os
import resource
import socket
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, NoReturn

from factory.gates.environment import gate_environment
from factory.system.process.command import Command
from factory.system.process.launch import run
from factory.system.sandbox.kernel.find import find_control_groups
from factory.system.sandbox.kernel.group import ControlGroups
from factory.system.sandbox.levels.bwrap import Bubblewrap
from factory.system.sandbox.levels.choose import levels, probe
from factory.system.sandbox.levels.landlock import LandlockDomain
from factory.system.sandbox.levels.ownership import hand_over
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.policy import Policy, Resources
from factory.system.sandbox.port import Confinement, Sandbox
from factory.system.sandbox.visible import needed
from tests.support.environments import bare

MOST_PROCESSES = 4_000


@functools.cache
def sandbox_of(level: str) -> Sandbox | str:
    """The sandbox of a level, or why there is none. `-as-root` asks for the last resort of root."""
    if level == "none":
        return Unconfined()
    for found in levels(os.environ):
        if found.name != level.removesuffix("-as-root"):
            continue
        if found.sandbox is None:
            return found.reason
        if not level.endswith("-as-root"):
            return found.sandbox
        if isinstance(found.sandbox, Bubblewrap):
            forced: Sandbox = Bubblewrap(
                found.sandbox.executable, found.sandbox.version, found.sandbox.new_proc, "mapped"
            )
        else:
            assert isinstance(found.sandbox, LandlockDomain)
            forced = LandlockDomain(found.sandbox.abi, False)
        return forced if (problem := probe(forced)) is None else problem
    return "bubblewrap is not installed"


def answer(
    sandbox: Sandbox, groups: ControlGroups | None, place: Path, request: dict[str, Any]
) -> dict[str, Any]:
    """Run one program in a checkout of its own below `place`."""
    own = place / request["name"] if request.get("apart") else place
    checkout, home, temporary, shared = places = [
        own / name for name in ("checkout", "home", "tmp", "shared")
    ]
    if request.get("apart"):
        for folder in (own, *places, checkout / ".git"):
            folder.mkdir()
    own_environment = {"PATH": os.environ["PATH"]}
    if "environment" in request:
        own_environment |= request["environment"]
    packages = bare()
    if "provided" in request:
        folder = Path(request["provided"])
        packages = replace(
            packages, python=folder / "bin/python", programs=(folder / "bin",), visible=(folder,)
        )
    environment = gate_environment(own_environment, packages, home=home, temporary=temporary)
    policy = Policy(
        root=checkout,
        home=home,
        temporary=temporary,
        shared=shared,
        read_only=(checkout / ".git", checkout / ".venv"),
        visible=(*needed(environment, os.environ), *packages.visible, place / "objects"),
        network=request.get("network", "none"),
        resources=Resources(**request.get("resources", {})),
    )
    owner = sandbox.owner_of(checkout)
    if owner is not None:
        hand_over([checkout], owner)
    words = [word.replace("STARTER", str(os.getpid())) for word in request["argv"]]
    output = own / f"{request['name'].replace('/', ' ')}.output"
    outcome = run(
        Command(
            tuple(words),
            checkout,
            environment,
            request.get("timeout", 60.0),
            output,
            confined=Confinement(sandbox, policy, groups),
        )
    )
    return {
        "name": request["name"],
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "timed_out": outcome.timed_out,
        "killed_outside": outcome.killed_outside,
        "killed": outcome.killed,
        "not_started": outcome.not_started,
        "sandbox_failed": outcome.sandbox_failed,
        "seconds": outcome.seconds,
        "output": output.read_bytes()[-20_000:].decode("utf-8", "backslashreplace"),
    }


def main() -> None:
    if os.geteuid() != 0:
        # Whatever gets out of control must not take the machine with it.
        resource.setrlimit(resource.RLIMIT_NPROC, (MOST_PROCESSES, MOST_PROCESSES))
    bare()
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        # Asked here, it is remembered for the next.
        sandbox_of(order["level"])
        child = os.fork()
        if child == 0:
            _reply(order)
        _, status = os.waitpid(child, 0)
        if status != 0:
            _say(None)


def _reply(order: dict[str, Any]) -> NoReturn:
    """Carry out an order in a process of its own, which ends with it."""
    _say(os.getpid())
    try:
        _say(carried_out(order["level"], Path(order["place"]), order["keeper"], order["requests"]))
    except BaseException:
        _say({"failed": traceback.format_exc()})
    finally:
        os._exit(0)


def _say(reply: object) -> None:
    print(json.dumps(reply), flush=True)


def carried_out(level: str, place: Path, keeper: str, requests: list[dict[str, Any]]) -> dict[str, Any]:
    """What came of the requests, or what is missing here."""
    os.environ |= {"HOME": str(place / "user"), "TMPDIR": str(place)}
    # The standard library asks for the variable only once.
    tempfile.tempdir = None
    sandbox = sandbox_of(level)
    found = find_control_groups()
    if isinstance(sandbox, str) or (keeper == "kernel" and found.reason):
        return {"missing": sandbox if isinstance(sandbox, str) else found.reason}
    groups = found.groups if keeper == "kernel" else None
    with ExitStack() as open_sockets:
        _listen(open_sockets, place)
        in_turn = Lock()

        def answered(request: dict[str, Any]) -> dict[str, Any]:
            # A command begins by clearing its directory of temporary files of places to mount things at.
            # Those that share one come one after the other, as the commands of a checkout do.
            with nullcontext() if request.get("apart") else in_turn:
                return answer(sandbox, groups, place, request)

        # They wait more often than they work.
        with ThreadPoolExecutor(5) as threads:
            answers = list(threads.map(answered, requests))
    return {"level": sandbox.level, "gaps": sandbox.gaps, "answers": answers}


def _listen(stack: ExitStack, place: Path) -> None:
    """Be reachable for whoever gets out."""
    (place / "outside").mkdir(exist_ok=True)
    inet = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=50))
    (place / "checkout/port").write_text(str(inet.getsockname()[1]))
    for address, kind in (
        (str(place / "outside/socket"), socket.SOCK_STREAM),
        (str(place / "outside/datagrams"), socket.SOCK_DGRAM),
        (f"\0workorder-{os.getpid()}", socket.SOCK_STREAM),
    ):
        listening = stack.enter_context(socket.socket(socket.AF_UNIX, kind))
        if not address.startswith("\0"):
            # Of a driver before this one.
            Path(address).unlink(missing_ok=True)
        listening.bind(address)
        if kind == socket.SOCK_STREAM:
            listening.listen(50)
    Path(f"/dev/shm/{place.name}").write_text("x")


if __name__ == "__main__":
    main()
