"""Without any declaration: the interpreter, pytest with what that needs, and nothing else."""

import os
import platform
import subprocess
from pathlib import Path

import pytest

from factory.environments.bare import bare_environment
from factory.environments.cache import Cache
from factory.environments.environment import Environment
from factory.environments.provide import environments_in
from tests.support import environments

_PRINT_PACKAGES = """\
import importlib.metadata, sys
print(sys.prefix)
print(sorted(found.name.lower() for found in importlib.metadata.distributions()))
"""


@pytest.fixture
def cache() -> Cache:
    """The one of all tests."""
    return environments_in(os.environ)


@pytest.fixture
def bare() -> Environment:
    """The bare environment."""
    return environments.bare()


def _output(*words: str | Path, **variables: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, env=variables, cwd="/", check=False)
    return done.stdout + done.stderr


def test_it_holds_pytest_with_what_that_needs_and_nothing_else(bare: Environment) -> None:
    prefix, packages = _output(bare.python, "-c", _PRINT_PACKAGES).splitlines()

    assert Path(prefix) == bare.python.parent.parent
    assert packages == str(["iniconfig", "packaging", "pluggy", "pygments", "pytest"])
    assert [package.name for package in bare.packages] == [
        "iniconfig",
        "packaging",
        "pluggy",
        "pygments",
        "pytest",
    ]


@pytest.mark.parametrize("module", ["langgraph", "rich", "pydantic", "factory", "pip", "pytest_timeout"])
def test_it_knows_nothing_of_what_workorder_itself_needs(bare: Environment, module: str) -> None:
    assert f"ModuleNotFoundError: No module named '{module}'" in _output(
        bare.python, "-c", f"import {module}"
    )


def test_its_interpreter_is_the_same_without_workorders_own_environment(bare: Environment) -> None:
    names = ("python", "python3", f"python{'.'.join(platform.python_version_tuple()[:2])}")
    for name in names:
        assert (
            _output(
                bare.programs[0] / name, "-c", "import platform; print(platform.python_version())"
            ).strip()
            == platform.python_version()
        )
    assert f"python {platform.python_version()}, 5 packages, environment {bare.hash[:12]}" == bare.description


def test_its_pytest_starts_as_a_command_and_as_a_module(bare: Environment) -> None:
    version = next(package.version for package in bare.packages if package.name == "pytest")

    assert _output(bare.programs[0] / "pytest", "--version").strip() == f"pytest {version}"
    assert _output(bare.python, "-m", "pytest", "--version").strip() == f"pytest {version}"


def test_no_file_in_it_is_workorders_own(bare: Environment) -> None:
    files = [
        path
        for folder in bare.visible
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    ]

    assert len(files) > 300
    assert {path.stat().st_nlink for path in files} == {1}
    assert not any(path.stat().st_mode & 0o222 for path in files)


def test_its_bytecode_is_there_already(bare: Environment) -> None:
    verbose = _output(bare.python, "-v", "-c", "import pytest").splitlines()
    loaded = [
        line for line in verbose if line.startswith("# code object from") and str(bare.visible[0]) in line
    ]

    assert len(loaded) > 50
    assert [line for line in loaded if not line.endswith(".pyc'")] == []


def test_what_is_installed_is_looked_up_once(
    bare: Environment, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_name: str) -> None:
        raise AssertionError("it is known")

    monkeypatch.setattr("importlib.metadata.distribution", refuse)
    with bare_environment(cache) as again:
        assert again == bare


def test_what_was_remembered_and_is_damaged_is_looked_up_anew(bare: Environment, cache: Cache) -> None:
    for memory in cache.folder.glob("bare-*.json"):
        memory.write_text('{"hash": "0"}')

    with bare_environment(cache) as again:
        assert again == bare
