#!/usr/bin/env python3
"""What environments add to a build and to a command, cold and warm.

    .venv/test/bin/python scripts/bench/environments.py [ROUNDS]

Of the making of an environment the floor is a copy of its files, of a command the same one in the same
sandbox without an environment. The budgets are 50 ms for a build and 5 ms more for a command, warm.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from measure import CHECKOUT, machine, median, milliseconds, table, taking_turns, verdict

sys.path.insert(0, str(CHECKOUT))

from factory.environments.bare import bare_environment
from factory.environments.cache import CACHE_VARIABLE
from factory.environments.environment import Environment
from factory.environments.provide import environments_in
from factory.system.process.command import Command
from factory.system.process.launch import run
from factory.system.sandbox.levels.choose import levels
from factory.system.sandbox.levels.ownership import hand_over
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.policy import Policy
from factory.system.sandbox.port import Confinement, Sandbox
from factory.system.sandbox.visible import needed
from tests.support.registries import a_registry
from tests.support.repositories import make_repo

_FILES = {f"src/file_{number:03d}.py": f"X = {number}\n" for number in range(200)}
BUILD_BUDGET, COMMAND_BUDGET = 0.050, 0.005
# A build has imported all this when it comes to its environment.
_FIND = """\
import os, time, factory.builds.build
start = time.perf_counter()
from factory.environments.bare import bare_environment
from factory.environments.provide import environments_in
with bare_environment(environments_in(os.environ)):
    print(time.perf_counter() - start)
"""
# What a build asks for of a project with packages: that they are locked, then that they are there.
_FIND_PACKAGES = """\
import os, sys, time, factory.builds.build, factory.system.git.client as client
from pathlib import Path
from factory.configuration.in_force import configuration_in_force
from factory.environments.provide import Project
from factory.repository.target import target
from factory.runs.inputs import Ports

goal = target(client.Git.open(Path(sys.argv[1])), None)
configuration = configuration_in_force(goal.git, goal.baseline).configuration
ports = Ports(None, None, lambda line: None, os.environ)
calls, asked = [], client.capture
client.capture = lambda *arguments, **options: calls.append(0) or asked(*arguments, **options)
start = time.perf_counter()
project = Project(goal.git, goal.baseline, configuration)
goal = ports.locked(goal, project, lambda: None, lambda environment: None)
with ports.environment_for(Project(goal.git, goal.baseline, configuration)):
    print(time.perf_counter() - start, len(calls))
"""
_DECLARED = {
    "Python packages": '[environment]\npython = ["alpha"]\n',
    "packages of Python and Node": '[environment]\npython = ["alpha"]\nnode = { beta = "^1" }\n',
}


def main(rounds: int) -> None:
    """Measure and print the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        os.environ[CACHE_VARIABLE] = str(folder / "cache")
        print(machine())
        with bare_environment(environments_in(os.environ)) as environment:
            print(f"{environment.description}\n")
            _print_builds(folder, environment, rounds)
            _print_projects(folder, rounds)
            _print_commands(folder, environment, rounds)


def _print_builds(folder: Path, environment: Environment, rounds: int) -> None:
    kept = environment.visible[0]
    times = taking_turns(
        {
            "found, warm, by a new process": _found_by_a_process,
            "found again in the same process": partial(_found, os.environ[CACHE_VARIABLE]),
            "a copy of the environment's files": partial(_copied, kept, folder / "copy"),
            "made, cold": partial(_made, folder / "cold"),
        },
        rounds,
    )
    rows = [
        [
            name,
            milliseconds(median(seconds)),
            milliseconds(min(seconds)),
            verdict(median(seconds) <= BUILD_BUDGET) if name.startswith("found") else "",
        ]
        for name, seconds in times.items()
    ]
    print(table(["a build", "median", "fastest", f"budget {BUILD_BUDGET * 1000:g} ms"], rows), end="\n\n")


def _print_projects(folder: Path, rounds: int) -> None:
    rows = []
    with a_registry() as registry:
        for name, version in (("pytest", "9.9"), ("alpha", "1.0")):
            registry.add_wheel(name, version)
        registry.add_npm("beta", "1.0.0", {})
        asking = {
            "UV_DEFAULT_INDEX": registry.index,
            "UV_CACHE_DIR": str(folder / "uv"),
            "NPM_CONFIG_REGISTRY": registry.url,
        }
        kinds = _DECLARED if shutil.which("npm") else dict(list(_DECLARED.items())[:1])
        for number, (kind, text) in enumerate(kinds.items()):
            repo = make_repo(folder / f"repo-{number}", {"workorder.toml": text, **_FILES})
            git = ["git", "rev-list", "--count", "HEAD"]
            _found_packages(repo, asking)
            locked = subprocess.run(git, cwd=repo, capture_output=True, text=True, check=True)
            if locked.stdout.strip() != "2":
                sys.exit("no lock has landed")
            answers = [_found_packages(repo, asking) for _ in range(rounds)]
            seconds = [answer[0] for answer in answers]
            met = verdict(median(seconds) <= BUILD_BUDGET)
            calls = f"{answers[0][1]:.0f}"
            rows.append([kind, calls, milliseconds(median(seconds)), milliseconds(min(seconds)), met])
    header = ["a project, warm, by a new process", "git", "median", "fastest"]
    print(table([*header, f"budget {BUILD_BUDGET * 1000:g} ms"], rows), end="\n\n")


def _found_packages(repo: Path, asking: Mapping[str, str]) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _FIND_PACKAGES, str(repo)],
        cwd=CHECKOUT,
        env={**os.environ, **asking},
        stdout=subprocess.PIPE,
        check=True,
    )
    seconds, calls = map(float, done.stdout.split())
    return seconds, calls


def _print_commands(folder: Path, environment: Environment, rounds: int) -> None:
    rows = []
    for sandbox in (Unconfined(), *(level.sandbox for level in levels(os.environ) if level.sandbox)):
        root, home, temporary, shared = places = [
            folder / sandbox.level / name for name in ("checkout", "home", "tmp", "shared")
        ]
        for place in places:
            place.mkdir(parents=True)
        owner = sandbox.owner_of(root)
        if owner is not None:
            hand_over([root], owner)
        path = {"HOME": str(home), "TMPDIR": str(temporary), "PATH": os.defpath}
        bare = Command(("true",), root, path, 60.0, folder / "output")
        policy = Policy(root, home, temporary, shared, visible=needed(path, os.environ))
        with_path = {**path, "PATH": f"{environment.programs[0]}:{os.defpath}"}
        shown = (*needed(with_path, os.environ), *environment.visible)
        times = taking_turns(
            {
                "floor": partial(_confined, bare, policy, sandbox),
                "with": partial(
                    _confined, replace(bare, env=with_path), replace(policy, visible=shown), sandbox
                ),
            },
            rounds,
        )
        floor, more = median(times["floor"]), median(times["with"]) - median(times["floor"])
        rows.append(
            [
                f"true, {sandbox.level}",
                *map(milliseconds, (floor, floor + more, more)),
                milliseconds(min(times["with"]) - min(times["floor"])),
                verdict(more <= COMMAND_BUDGET),
            ]
        )
    header = ["a command", "without", "with", "added", "fastest", f"budget {COMMAND_BUDGET * 1000:g} ms"]
    print(table(header, rows))


def _confined(command: Command, policy: Policy, sandbox: Sandbox) -> float:
    start = time.perf_counter()
    outcome = run(replace(command, confined=Confinement(sandbox, policy)))
    seconds = time.perf_counter() - start
    if not outcome.ok:
        sys.exit(f"true failed in {sandbox.level}")
    return seconds


def _found_by_a_process() -> float:
    done = subprocess.run([sys.executable, "-c", _FIND], cwd=CHECKOUT, capture_output=True, check=True)
    return float(done.stdout)


def _found(cache: str) -> float:
    start = time.perf_counter()
    with bare_environment(environments_in({CACHE_VARIABLE: cache})):
        return time.perf_counter() - start


def _made(cache: Path) -> float:
    seconds = _found(str(cache))
    shutil.rmtree(cache)
    return seconds


def _copied(kept: Path, copy: Path) -> float:
    start = time.perf_counter()
    subprocess.run(["cp", "-a", str(kept), str(copy)], check=True)
    seconds = time.perf_counter() - start
    shutil.rmtree(copy)
    return seconds


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
