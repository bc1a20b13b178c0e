"""Acceptance commands must fail before the work is done, for a reason that the work order can change."""

import json
import os
from pathlib import Path

import pytest

from factory.attempt.failure import FailureClass
from factory.checkout.pool import checkout
from factory.contract.work_order import WorkOrder
from factory.gates.before.red_probe import defect, probe
from factory.gates.bench import Bench
from factory.gates.environment import gate_environment
from factory.report.show import show_run
from factory.repository.target import target
from factory.system.git.client import Git
from tests.support.answers import a_proposal
from tests.support.environments import bare
from tests.support.repositories import a_work_order, make_repo
from tests.support.results import Commands, a_context
from tests.support.runs import Scene, read_object


def probed(scene: Scene) -> dict[str, str]:
    """The colour of each command."""
    (path,) = scene.out.glob("*/probe.json")
    commands = json.loads(path.read_text())["commands"]
    return {command["command"]: command["colour"] for command in commands}


def make_scene(tmp_path: Path, *commands: str, **order: object) -> Scene:
    return Scene(make_repo(tmp_path / "repo"), acceptance_commands=list(commands), **order)  # type: ignore[arg-type]


def colours(repo: Path, *commands: str, files: list[str]) -> dict[str, str]:
    """The colour of each command, as the only one of a work order that may write these files."""
    seen: dict[str, str] = {}
    with checkout(target(Git.open(repo), None), in_place=False) as opened:
        variables = gate_environment(os.environ, bare(), home=opened.home, temporary=opened.temporary)
        bench = Bench(opened, bare(), variables, 60.0)
        folder = repo.parent / "probes"
        folder.mkdir()
        for command in commands:
            order = WorkOrder.model_validate(
                a_work_order(allowed_files=[*files], acceptance_commands=[command])
            )
            (found,) = probe(order, bench.context(order, opened.stage([]), folder), opened.restore)
            seen[command] = found.colour
            opened.restore()
    return seen


def test_a_command_that_fails_before_and_passes_after_is_a_proof(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, "test -f src/app.py", "python src/app.py")

    assert scene.run(red_probe=True).ending.exit_code == 0

    assert probed(scene) == {"test -f src/app.py": "red", "python src/app.py": "red"}


# Each names a module of its own: what an earlier command names, it may have prepared.
NO_PROOF = (
    "no-such-program x",
    "sh -c 'exit 127'",
    "./README.md",
    "./src/app.py",
    "bash missing.sh",
    "timeout 5 no-such-program src/app.py",
    "sh -c 'no-such-program && python src/app.py'",
    "sh -c src",
    "python -m no_such_module_anywhere",
    'python -c "import absent_everywhere"',
    'python -c "from no_such.module_anywhere import a; from src.app import b"',
    "sh -c 'python -c \"x = $((1)); for y in x: pass\"'",
    "python -m pytest -q --no-such-option src/app.py",
    "python -m pytest -q tests/test_of_another.py::test_it",
    "python -m pytest -q -p pytest_of_nobody src/app.py",
    "bash -c 'no-such-program | grep -q x'",
    "python -m pytest -q ./missing",
)


@pytest.mark.parametrize("first", [0, 5])
def test_what_is_no_proof_is_a_defect_of_the_plan_and_costs_nothing(tmp_path: Path, first: int) -> None:
    commands = [*NO_PROOF[first:], *NO_PROOF[:first]]
    repo = make_repo(
        tmp_path / "repo",
        {"README.md": ""},
    )
    scene = Scene(repo, acceptance_commands=["test -f src/app.py", *commands])

    ending = scene.run(red_probe=True).ending

    assert ending.exit_code == 4
    assert commands[0] in ending.message
    assert scene.asked == 0
    assert probed(scene) == {"test -f src/app.py": "red"} | dict.fromkeys(commands, "impossible")


def test_commands_that_all_pass_before_prove_nothing(tmp_path: Path) -> None:
    exempt = [{"command": "test -d .", "reason": "it must stay"}]
    scene = make_scene(tmp_path, "true", "test -f README.md", "test -d .", red_exempt=exempt)

    ending = scene.run(red_probe=True).ending

    assert (ending.exit_code, scene.asked) == (4, 0)
    assert ending.failure is not None
    assert "each of them passes before the work" in ending.failure.message
    assert ending.failure.where == "true"


def test_one_that_passes_before_beside_others_that_fail_is_weak_and_told(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, "test -f README.md", "test -f src/app.py")

    finished = scene.run(red_probe=True)

    assert finished.ending.exit_code == 0
    assert probed(scene) == {"test -f README.md": "green", "test -f src/app.py": "red"}
    told = "weak acceptance: `test -f README.md` passes before the work is done"
    assert told in scene.progress
    assert finished.folder is not None
    assert told in show_run(finished.folder)
    document = json.loads((finished.folder / "probe.json").read_text())
    assert [command.get("weak") for command in document["commands"]] == [True, None]


def test_what_prepares_later_commands_is_there_for_each_of_them(tmp_path: Path) -> None:
    commands = ["mkdir made", "sh -c 'test -d made || exit 127; test -f src/app.py'"]
    scene = make_scene(tmp_path, *commands, "sh -c 'test -d made && python src/app.py || exit 1'")

    assert scene.run(red_probe=True).ending.exit_code == 0

    assert list(probed(scene).values()) == ["green", "red", "red"]


NODE = "node:internal:1215\n  throw err;\n  ^\n\nError: Cannot find module '{}'\nRequire stack:\n- {}"
NPM = 'npm error Missing script: "lint"\nnpm error\nnpm error To see a list of scripts, run:'
MAKE = "jq x\nmake: jq: No such file or directory\nmake: *** [Makefile:2: test] Error 127"
IMPORT = (
    "Traceback (most recent call last):\n"
    '  File "<string>", line 1, in <module>\n'
    "ModuleNotFoundError: No module named '{}'"
)
NO_PLUGIN = "ERROR: Error importing plugin \"{0}\": No module named '{0}'"
NO_TEST = "no tests ran in <time>\nERROR: not found: {}\n(no match in any of [<Module test_it.py>])"
NOT_FOUND = "bash: line 1: jq: command not found"


TESTS = """\
def test_old():
    pass

class TestPlain:
    pass

class TestMore(Base):
    pass
"""


def colour_of(root: Path, command: str, exit_code: int, printed: str, *writable: str) -> str:
    """What the probe makes of what a command printed, in a repository with some files."""
    for name, text in {
        "shop/__init__.py": "",
        "web/cart.js": "",
        "tests/test_it.py": TESTS,
        "tests/test_all.py": "from tests.shared import *\n",
    }.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    ends = Commands({"acceptance_1": {"exit_code": exit_code, "excerpt": printed}})
    paths = tuple(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
    context = a_context(
        root,
        ends,
        landing=paths,
        allowed_files=list(writable) or ["app.py"],
        postconditions=[],
        acceptance_commands=[command],
    )
    (probed,) = probe(context.order, context, lambda: None)  # type: ignore[arg-type]
    return probed.colour


PYTEST = "python -m pytest -q tests/test_it.py::test_new"
CODE = 'python -c "import shop.tax"'


@pytest.mark.parametrize(
    ("command", "exit_code", "printed"),
    [
        (PYTEST, 4, NO_TEST.format("tests/test_it.py::test_new")),
        (PYTEST, 4, NO_TEST.format("tests/test_it.py::test_new[a b]")),
        (PYTEST, 4, NO_TEST.format("tests/test_it.py::TestPlain::test_new")),
        (PYTEST, 4, NO_TEST.format("tests/test_it.py::TestNone::test_new")),
        (PYTEST, 4, NO_PLUGIN.format("pytest_of_nobody")),
        (PYTEST, 4, "ERROR: Missing required plugins: pytest-of-nobody"),
        (CODE, 1, IMPORT.format("shop.tax")),
        ("python -m shop.tax", 1, "python: No module named shop.tax"),
        (
            "python -m shop",
            1,
            "python: No module named shop.__main__; 'shop' is a package and cannot be directly executed",
        ),
        ("node -e x", 1, NODE.format("left-pad", "[eval]")),
        ("node web/missing.js", 1, NODE.format("web/missing.js", "")),
        ("node --test --fail-fast", 9, "node: bad option: --fail-fast"),
        ("bash -c 'jq x | grep -q y'", 1, NOT_FOUND),
        ("bash -c 'jq x || exit 1'", 1, NOT_FOUND),
        ("make test", 2, MAKE),
        ("npm run lint", 1, NPM),
        ("npm run lint", 1, NPM.replace("npm error", "npm ERR!")),
    ],
)
def test_what_the_work_order_can_not_mend_is_a_defect(
    tmp_path: Path, command: str, exit_code: int, printed: str
) -> None:
    assert colour_of(tmp_path, command, exit_code, printed) == "impossible"


@pytest.mark.parametrize(
    ("command", "exit_code", "printed", "writable"),
    [
        (PYTEST, 4, NO_TEST.format("tests/test_it.py::test_new"), "tests/test_it.py"),
        (PYTEST, 4, NO_TEST.format("tests/test_it.py::test_new"), "tests/conftest.py"),
        (PYTEST, 4, NO_TEST.format("tests/test_it.py::test_old[new]"), "data.json"),
        (PYTEST, 4, NO_TEST.format("tests/test_it.py::TestMore::test_new"), "base.py"),
        (PYTEST, 4, NO_TEST.format("tests/test_all.py::test_new"), "tests/shared.py"),
        (PYTEST, 4, NO_PLUGIN.format("plugin_of_ours"), "plugin_of_ours.py"),
        (PYTEST, 4, "ERROR: Missing required plugins: pytest-of-nobody", "pytest.ini"),
        (CODE, 1, IMPORT.format("shop.tax"), "shop/tax.py"),
        (CODE, 1, IMPORT.format("shop.tax"), "src/shop/tax/__init__.py"),
        (CODE, 1, IMPORT.format("shop.tax"), "sources/tax.py"),
        (
            "python -m shop",
            1,
            "python: No module named shop.__main__; 'shop' is a package",
            "shop/__main__.py",
        ),
        ("node web/new.js", 1, NODE.format("web/new.js", ""), "web/new.js"),
        ("node web/new.js", 1, "node: bad option: --fail-fast", "web/new.js"),
        ("node web/cart.js", 1, NODE.format("./new", "web/cart.js"), "web/new.js"),
        ("node web/cart.js", 1, NODE.format("left-pad", "web/cart.js"), "web/cart.js"),
        ("bash -c 'jq x || grep -q y app.py'", 1, NOT_FOUND, "app.py"),
        ("bash -c 'jq x; test -f app.py'", 1, NOT_FOUND, "app.py"),
        ("bash check.sh", 1, NOT_FOUND, "app.py"),
        ("make test", 2, MAKE, "Makefile"),
        ("make test", 2, MAKE.replace("jq", "./tool.sh"), "tool.sh"),
        ("npm run lint", 1, NPM, "package.json"),
        ("npm run lint --prefix web", 1, NPM, "web/package.json"),
        ("node web/cart.js", 1, NPM, "web/cart.js"),
    ],
)
def test_what_it_can_mend_and_what_is_in_doubt_is_red(
    tmp_path: Path, command: str, exit_code: int, printed: str, writable: str
) -> None:
    assert colour_of(tmp_path, command, exit_code, printed, writable) == "red"


def test_a_command_that_never_ends_is_a_defect(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, "sleep 60")

    ending = scene.run(red_probe=True, timeout_seconds=1.0).ending

    assert (ending.exit_code, scene.asked) == (4, 0)
    assert "time limit" in ending.message


MAY_BRING = (
    "python -m pytest -q tests/test_new.py",
    "python -m pytest -q ./tests/new",
    "python -m pytest -q tests/test_new.py::TestIt::test_it",
    'python -c "import lib.fresh"',
    'python -c "import old"',
    'python -c "import unfinished"',
    'python -c "import compiled"',
    'python -c "import fresh; import no_such_module_anywhere"',
)


def test_what_the_work_order_can_bring_may_be_missing(tmp_path: Path) -> None:
    repo = make_repo(
        tmp_path / "repo",
        {
            "old.py": "import no_such_module_anywhere\n",
            "unfinished.py": "x = \n",
            "scripts/verify.sh": "exit 0\n",
        },
    )
    files = ["tests/test_new.py", "tests/new/test_it.py", "lib/fresh.py", "fresh.py", "old.py", "compiled.c"]

    assert colours(repo, *MAY_BRING, files=files) == dict.fromkeys(MAY_BRING, "red")


def test_what_is_missing_is_read_from_newer_interpreters_too(tmp_path: Path) -> None:
    traceback = (
        'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
        "    import no_such_module_anywhere\nModuleNotFoundError: No module named 'no_such_module_anywhere'\n"
    )
    repo = make_repo(tmp_path / "repo", {"told.txt": traceback})
    command = "sh -c 'cat told.txt; exit 1'"
    scene = Scene(repo, [], allowed_files=["app.py"], acceptance_commands=[command])

    assert scene.run(red_probe=True).ending.exit_code == 4

    assert probed(scene) == {command: "impossible"}


@pytest.mark.parametrize("file", ["conftest.py", "plugin.py"])
def test_an_option_that_the_work_order_brings_may_be_missing(tmp_path: Path, file: str) -> None:
    command = "python -m pytest -q --fast"
    plugin = "def pytest_addoption(parser):\n    parser.addoption('--slow')\n"
    repo = make_repo(tmp_path / "repo", {"conftest.py": "pytest_plugins = ['plugin']\n", "plugin.py": plugin})

    assert colours(repo, command, files=[file]) == {command: "red"}


def test_a_script_that_the_work_order_writes_may_be_missing(tmp_path: Path) -> None:
    answer = a_proposal({"check.sh": "exit 0\n"})
    scene = Scene(
        make_repo(tmp_path / "repo"),
        [answer],
        allowed_files=["check.sh"],
        acceptance_commands=["bash check.sh"],
    )

    assert scene.run(red_probe=True).ending.exit_code == 0


BY_OTHER_NAMES = (
    'bash -c "bash web/build.sh"',
    'bash -c "cd web && bash build.sh"',
    "bash check.sh",
    "bash 'web/a b.sh'",
    """python -c "import subprocess as s; exit(s.run(['bash', 'web/build.sh']).returncode)\"""",
    'sh -c "cd web && python -m pytest -q tests/test_it.py::test_new"',
    "env -C web python -m pytest -q tests/test_it.py",
    "env -C lib python -m pytest -q ../web/tests",
    'sh -c "python -m pytest -q web/tests/test_*.py"',
)


def test_what_the_work_order_writes_may_be_missing_by_whichever_name(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"web/a": "", "lib/a": "", "check.sh": "bash web/build.sh\n"})
    files = ["web/build.sh", "web/tests/test_it.py", "web/a b.sh"]

    assert colours(repo, *BY_OTHER_NAMES, files=files) == dict.fromkeys(BY_OTHER_NAMES, "red")


@pytest.mark.parametrize(
    "commands",
    [
        ["cp src/app.py build/tool", "./build/tool"],
        ["cp src/app.py tool.sh", "timeout 9 bash tool.sh"],
        ["cp src/app.py made/models.py", 'python -c "import made.models"'],
    ],
)
def test_what_an_earlier_command_builds_may_be_missing(tmp_path: Path, commands: list[str]) -> None:
    scene = make_scene(tmp_path, *commands)

    scene.run(red_probe=True)

    assert probed(scene) == dict.fromkeys(commands, "red")


def test_what_nothing_builds_may_not_be_missing(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo", {"README.md": ""}), acceptance_commands=["./missing"])

    assert scene.run(red_probe=True).ending.exit_code == 4

    assert probed(scene) == {"./missing": "impossible"}


def test_what_the_verification_builds_may_be_missing(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"scripts/verify.sh": "test ! -e src/app.py || cp src/app.py tool\n"})
    scene = Scene(repo, acceptance_commands=["./tool"])

    scene.run(red_probe=True)

    assert probed(scene) == {"./tool": "red"}


def test_what_one_command_left_behind_is_no_merit_of_the_baseline(tmp_path: Path) -> None:
    commands = ["sh -c 'python src/app.py > out.txt'", "test -f out.txt"]
    scene = make_scene(tmp_path, *commands)

    assert scene.run(red_probe=True).ending.exit_code == 0

    assert probed(scene) == dict.fromkeys(commands, "red")


def test_an_exempt_command_may_pass_before_and_the_reason_is_kept(tmp_path: Path) -> None:
    exempt = [{"command": "test -f README.md", "reason": "it must stay"}]
    scene = make_scene(tmp_path, "test -f src/app.py", "test -f README.md", red_exempt=exempt)

    assert scene.run(red_probe=True).ending.exit_code == 0

    (path,) = scene.out.glob("*/probe.json")
    assert read_object(path)["commands"][1]["reason"] == "it must stay"  # type: ignore[index,call-overload]


def test_what_a_probe_left_behind_is_not_there_in_the_attempt(tmp_path: Path) -> None:
    command = "sh -c 'test ! -e left && test -f src/app.py || { touch left; exit 1; }'"
    scene = make_scene(tmp_path, command)

    assert scene.run(red_probe=True).ending.exit_code == 0


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ({"killed_outside": True}, "killed from outside"),
        ({"sandbox_failed": "no room"}, "could not be entered: no room"),
    ],
)
def test_what_the_machine_could_not_run_says_nothing_of_the_plan(
    tmp_path: Path, end: dict[str, object], message: str
) -> None:
    ended = Commands({"acceptance_1": {"exit_code": None, **end}})
    context = a_context(tmp_path, ended, acceptance_commands=["python src/app.py"])

    failure = defect(probe(context.order, context, lambda: None))

    assert failure is not None
    assert failure.failure_class is FailureClass.ENVIRONMENT
    assert message in failure.message
