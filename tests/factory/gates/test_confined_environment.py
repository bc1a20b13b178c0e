"""What commands find of an environment, and of Workorder's own installation, at each level of the sandbox."""

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from factory.checkout.pool import checkout
from factory.contract.repo_path import RepoPath
from factory.environments.cache import CACHE_VARIABLE
from factory.environments.environment import Environment
from factory.gates.bench import Bench, Provisions
from factory.gates.environment import gate_environment
from factory.repository.target import target
from factory.system.files.tree import read_bounded
from factory.system.git.client import Git
from factory.system.removal import remove_tree
from factory.system.sandbox.levels.choose import levels
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.port import Sandbox, Terms
from tests.support.environments import bare
from tests.support.repositories import make_repo, write_files

CONFINED = ["bwrap", "bwrap-noproc", "landlock"]


@pytest.fixture(params=[*CONFINED, "none"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "none":
        return Unconfined()
    for level in levels(os.environ):
        if level.name == request.param:
            if level.sandbox is None:
                pytest.skip(level.reason)
            return level.sandbox
    pytest.skip("bubblewrap is not installed")


@pytest.fixture
def kept() -> Iterator[Path]:
    """A directory where the users may enter to whom root's sandbox switches."""
    folder = Path(os.environ[CACHE_VARIABLE]) / f"kept-{os.getpid()}"
    folder.mkdir(mode=0o755)
    yield folder
    remove_tree(folder)


def executed(
    sandbox: Sandbox,
    tmp_path: Path,
    *words: str,
    packages: Environment | None = None,
    read: tuple[Path, ...] = (),
) -> tuple[int | None, str]:
    """Run a command as a check does; its exit code and what it printed."""
    environment = packages or bare()
    goal = target(Git.open(make_repo(tmp_path / "repo", {"README.md": "x\n"})), None)
    with checkout(goal, in_place=False, sandbox=sandbox) as opened:
        opened.stage([])
        variables = gate_environment(os.environ, environment, home=opened.home, temporary=opened.temporary)
        bench = Bench(opened, environment, variables, 60.0, Terms(sandbox, read=read))
        result = bench.baseline_context(tmp_path, exempt=False).execute("check", "…", words)
        assert result.changed == ()
        assert not any((opened.root / "node_modules").glob("*"))
    return result.exit_code, read_bounded(tmp_path / "check.output.txt").decode()


@pytest.mark.parametrize("module", ["langgraph", "rich"])
def test_generated_code_can_not_import_what_workorder_needs(
    sandbox: Sandbox, module: str, tmp_path: Path
) -> None:
    exit_code, printed = executed(sandbox, tmp_path, "python", "-c", f"import {module}")

    assert exit_code == 1
    assert f"ModuleNotFoundError: No module named '{module}'" in printed


def test_commands_run_in_the_environment_and_can_not_change_it(sandbox: Sandbox, tmp_path: Path) -> None:
    program = (
        "import pathlib, shutil, sys\n"
        "print(sys.prefix, shutil.which('pytest'))\n"
        "try: pathlib.Path(sys.prefix, 'lib', 'new').touch()\n"
        "except OSError: print('refused')\n"
    )

    exit_code, printed = executed(sandbox, tmp_path, "python3", "-c", program)

    prefix = bare().python.parent.parent
    assert exit_code == 0
    assert printed.splitlines()[0] == f"{prefix} {prefix}/bin/pytest"
    # At `none` commands may do what the user may do, which is to change what is the user's own.
    (prefix / "lib" / "new").unlink(missing_ok=True)
    assert "refused" in printed or sandbox.level == "none"


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="Workorder is not in a virtual environment here")
@pytest.mark.skipif(sys.prefix.startswith(("/usr", "/opt")), reason="Workorder is where programs are here")
def test_a_confined_command_sees_nothing_of_workorders_own_environment(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    program = f"import os; print(os.listdir({str(Path(sys.prefix, 'lib'))!r}))"

    exit_code, _ = executed(sandbox, tmp_path, "python", "-c", program)

    assert exit_code == (0 if sandbox.level == "none" else 1)


def test_packages_of_node_are_found_above_the_checkout(sandbox: Sandbox, tmp_path: Path, kept: Path) -> None:
    modules = kept / "node_modules"
    write_files(
        modules,
        {"zod/package.json": '{"main": "main.js"}', "zod/main.js": "exports.string = () => 'a string'\n"},
    )
    packages = replace(bare(), node_modules=modules, visible=(*bare().visible, kept))

    program = "import os; print(os.path.realpath('../node_modules/zod')); open('../node_modules/zod/main.js')"
    assert executed(sandbox, tmp_path / "python", "python", "-c", program, packages=packages) == (
        0,
        f"{modules}/zod\n",
    )
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    words = ("node", "-e", "console.log(require('zod').string())")
    assert executed(sandbox, tmp_path / "node", *words, packages=packages) == (0, "a string\n")


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_worker_of_vitest_can_ask_how_much_memory_it_has(
    sandbox: Sandbox, tmp_path: Path, kept: Path
) -> None:
    """A stand-in with vitest's names starts a process of its own, as vitest does for tests."""
    session = (
        "import { fork } from 'node:child_process';\n"
        "export const parseCLI = (words) => ({ filter: words.slice(2), options: {} });\n"
        "export async function startVitest() {\n"
        "  const worker = fork(new URL('./worker.js', import.meta.url).pathname);\n"
        "  await new Promise((ended) => worker.on('exit', ended));\n"
        "  return { state: { getFiles: () => [] }, close: async () => {} };\n"
        "}\n"
    )
    worker = (
        "const used = process.memoryUsage();\n"
        "console.log(used.rss > 1e6, process.memoryUsage.rss() > 1e6, used.heapUsed > 1e6);\n"
    )
    write_files(
        kept,
        {
            "node_modules/vitest/package.json": '{"type": "module", "exports": {"./node": "./node.js"}}',
            "node_modules/vitest/node.js": session,
            "node_modules/vitest/worker.js": worker,
        },
    )
    packages = replace(bare(), node_modules=kept / "node_modules", visible=(*bare().visible, kept))

    _, printed = executed(sandbox, tmp_path, "npx", "vitest", "run", packages=packages)

    assert "true true true" in printed


def test_each_project_finds_its_own_packages_of_node(sandbox: Sandbox, tmp_path: Path, kept: Path) -> None:
    write_files(kept, {"web/node_modules/zod/main.js": "", "desk/node_modules/hono/main.js": ""})
    goal = target(Git.open(make_repo(tmp_path / "repo", {"web/a": "", "desk/a": "", "api/a": ""})), None)
    program = "import os; print(sorted(os.listdir('../../node_modules')))"
    printed = {}
    with checkout(goal, in_place=False, sandbox=sandbox) as opened:
        opened.stage([])
        variables = gate_environment(os.environ, bare(), home=opened.home, temporary=opened.temporary)

        def provisions(name: str) -> Provisions:
            place = kept / name / "node_modules"
            modules = replace(bare(), node_modules=place, visible=(*bare().visible, kept / name))
            return Provisions(modules if place.exists() else bare(), variables)

        projects = {RepoPath.parse(name): provisions(name) for name in ("web", "desk", "api")}
        bench = Bench(opened, bare(), variables, 60.0, Terms(sandbox), projects=projects)
        context = bench.baseline_context(tmp_path, exempt=False)
        for project in (*projects, RepoPath.parse("web")):
            result = context.within(project).execute("check", "…", ("python", "-c", program))
            assert result.changed == ()
            printed[project] = (result.exit_code, result.excerpt.splitlines()[-1])

    assert printed["web"] == (0, "['zod']")
    assert printed["desk"] == (0, "['hono']")
    assert printed["api"][0] == 1


def test_a_further_directory_can_be_read_and_no_other(sandbox: Sandbox, tmp_path: Path, kept: Path) -> None:
    write_files(kept, {"models/weights": "0.5\n", "other/secret": "secret\n"})

    words = ("python", "-c", f"print(open('{kept}/models/weights').read())")
    assert executed(sandbox, tmp_path / "read", *words, read=(kept / "models",))[0] == 0
    assert executed(sandbox, tmp_path / "closed", *words)[0] == (0 if sandbox.level == "none" else 1)
    writes = ("python", "-c", f"open('{kept}/models/weights', 'w')")
    assert executed(sandbox, tmp_path / "written", *writes, read=(kept / "models",))[0] == (
        0 if sandbox.level == "none" else 1
    )
