"""Which work orders depend on which."""

import pytest

from factory.contract.work_order import Plan
from factory.plans.commands.needs import is_test_file
from factory.plans.states.dependencies import depends_on
from tests.support.plans import Json, absent, exists, makes, manifest, order, verified_by


def dependencies(*orders: Json, repo: tuple[str, ...] = (), **fields: object) -> dict[str, tuple[str, ...]]:
    plan = Plan.model_validate(manifest(*orders, **fields))
    needs = depends_on(plan, frozenset(repo))
    return {step.id: needed for step, needed in zip(plan.work_orders, needs, strict=True)}


def needs(written: str, *, repo: tuple[str, ...] = (), **fields: object) -> bool:
    """Whether a work order with `fields`, that writes other.py, depends on one that writes `written`."""
    step = makes(2, "other.py", **fields)
    return dependencies(makes(1, written), step, repo=repo)["WO-02"] == ("WO-01",)


def test_work_orders_that_share_nothing_are_independent() -> None:
    assert dependencies(makes(1, "a.py"), makes(2, "b.py")) == {"WO-01": (), "WO-02": ()}


@pytest.mark.parametrize(
    "fields",
    [{"context_files": ["a.py"]}, {"preconditions": [exists("a.py")]}, {"preconditions": [absent("a.py")]}],
)
def test_who_reads_a_file_depends_on_who_writes_it(fields: Json) -> None:
    assert needs("a.py", **fields)
    assert not needs("b.py", **fields)


def test_who_writes_a_file_depends_on_all_who_wrote_it_before() -> None:
    assert dependencies(makes(1, "a.py"), makes(2, "a.py"), makes(3, "a.py", "b.py")) == {
        "WO-01": (),
        "WO-02": ("WO-01",),
        "WO-03": ("WO-01", "WO-02"),
    }


def test_a_directory_that_must_exist_is_made_by_whoever_writes_below_it() -> None:
    assert needs("lib/a.py", preconditions=[exists("lib")])


def test_nobody_depends_on_later_work_orders() -> None:
    assert dependencies(makes(1, "a.py", context_files=["b.py"]), makes(2, "b.py"))["WO-01"] == ()


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("python -m app.cli", "app/cli.py"),
        ("python -m app.cli", "src/app/cli.py"),
        ("python -m app.cli", "src/app/__init__.py"),
        ("python -m app", "app/__main__.py"),
        ("python tools/x.py", "tools/x.py"),
        ("python3 -B ./tools/x.py --fast", "tools/x.py"),
        ("python -c 'import app.core'", "app/core.py"),
        ("python -c 'from app import core'", "app/core.py"),
        ("python -c 'from app.core import f'", "app/core.py"),
        ("python -c 'print(open(\"data/x.json\").read())'", "data/x.json"),
        ("bash tools/x.sh", "tools/x.sh"),
        ("./tools/x.sh", "tools/x.sh"),
        ("bash -c 'cd tools && ./x.sh'", "tools/x.sh"),
        ("env X=1 bash -c 'python -m app.cli'", "app/cli.py"),
        ("python -c \"import subprocess; subprocess.run(['bash', 'tools/x.sh'])\"", "tools/x.sh"),
        ("pytest tests/test_a.py", "tests/test_a.py"),
        ("python -m pytest tests/test_a.py::TestA::test_b", "tests/test_a.py"),
        ("python -m unittest tests.test_a.TestA.test_b", "tests/test_a.py"),
        ("pytest", "tests/test_a.py"),
        ("python -m pytest -q", "tests/conftest.py"),
        ("pytest tests", "tests/unit/test_a.py"),
        ("python -m unittest discover -s tests", "tests/test_a.py"),
        ("grep -c x docs/a.md", "docs/a.md"),
        ("tool --config=etc/tool.toml", "etc/tool.toml"),
        ("python -m compileall lib", "lib/a.py"),
    ],
)
def test_who_runs_or_names_a_file_depends_on_who_writes_it(command: str, written: str) -> None:
    assert needs(written, acceptance_commands=[command])
    assert not needs("unrelated/z.py", acceptance_commands=[command])


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("pytest tests/test_a.py", "tests/test_b.py"),
        ("pytest", "app/core.py"),
        ("python -m compileall .", "lib/a.py"),
        ("python -c 'import application'", "app.py"),
        ("pytest tests/unit", "tests/other/test_a.py"),
    ],
)
def test_what_a_command_does_not_name_is_no_dependency(command: str, written: str) -> None:
    assert not needs(written, acceptance_commands=[command])


def test_a_directory_that_is_there_anyway_needs_nobody() -> None:
    command = {"acceptance_commands": ["python -m compileall lib"]}
    assert needs("lib/a.py", **command)
    assert not needs("lib/a.py", repo=("lib/b.py",), **command)
    own = dependencies(makes(1, "lib/a.py"), makes(2, "lib/b.py", **command))
    assert own["WO-02"] == ()


def test_who_brings_tests_does_not_need_those_of_others_to_run_all() -> None:
    command = {"acceptance_commands": ["python -m pytest"]}
    needs = dependencies(makes(1, "test_a.py"), makes(2, "test_b.py", **command), makes(3, "c.py", **command))
    assert needs == {"WO-01": (), "WO-02": (), "WO-03": ("WO-01", "WO-02")}


def test_every_later_work_order_reads_the_files_of_the_verify_contract() -> None:
    contract = verified_by("bash scripts/verify.sh", "pyproject.toml")
    steps = [makes(1, "a.py"), makes(2, "scripts/verify.sh"), makes(3, "pyproject.toml"), makes(4, "b.py")]
    assert dependencies(*steps, verify_contract=contract) == {
        "WO-01": (),
        "WO-02": (),
        "WO-03": ("WO-02",),
        "WO-04": ("WO-02", "WO-03"),
    }


def test_a_command_that_cannot_be_read_needs_nothing() -> None:
    assert not needs("a.py", acceptance_commands=["python 'a.py"])


def test_dependencies_come_in_the_order_of_the_plan() -> None:
    steps = [makes(number, f"{number}.py") for number in range(1, 12)]
    last = makes(12, "z.py", context_files=["11.py", "2.py", "10.py"])
    assert dependencies(*steps, last)["WO-12"] == ("WO-02", "WO-10", "WO-11")


def test_work_orders_without_conditions_depend_by_their_allowed_files() -> None:
    needs = dependencies(order(1, allowed_files=["a.py"]), order(2, context_files=["a.py"]))
    assert needs["WO-02"] == ("WO-01",)


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/test_a.py", True),
        ("a_test.py", True),
        ("conftest.py", True),
        ("testing.py", False),
        ("test_a.md", False),
    ],
)
def test_a_test_file_is_known_by_its_name(path: str, is_test: bool) -> None:
    assert is_test_file(path) is is_test
