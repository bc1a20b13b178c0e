"""The environment of every test: hostile by default.

No variable of whoever runs the tests, no user git configuration, a home that doesn't exist, a fixed locale,
a directory for temporary files that only this test uses, and no network but loopback.
"""

import gc
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import pytest

from factory.environments.cache import CACHE_VARIABLE
from factory.system.removal import remove_tree
from tests.support import repositories

_KEPT = ("PATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV", CACHE_VARIABLE)
_KEPT_PREFIXES = ("PYTEST_", "PYTHON", "COVERAGE_", "COV_")
_SLOW_SUPPORT = tuple(
    f"tests.support.{name}"
    for name in ("answering_program", "builds", "crashes", "openai_stand_in", "repositories", "runs")
)
_SLOW_FOLDERS = ("tests.browser.", "tests.e2e.", "tests.security.", "tests.templates.")

hypothesis.settings.register_profile("workorder", database=None, deadline=None)
hypothesis.settings.load_profile("workorder")


_CACHE = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Let all tests, of all workers, share the environments that one of them has made."""
    # What is ignored stays so in programs that are started, and nohup ignores it.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if not hasattr(config, "workerinput"):
        folder = Path(tempfile.mkdtemp(prefix="workorder-cache-"))
        # Root's sandbox becomes another user, who must find them.
        folder.chmod(0o755)
        config.stash[_CACHE] = folder
        os.environ[CACHE_VARIABLE] = str(folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove what they shared."""
    if _CACHE in config.stash:
        remove_tree(config.stash[_CACHE])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what makes repositories, runs or processes as slow, and what holds whole outputs as golden."""
    for item in items:
        if not isinstance(item, pytest.Function):
            continue
        if _is_slow(item.module):
            item.add_marker(pytest.mark.slow)
        if "assert_golden" in item.function.__code__.co_names:
            item.add_marker(pytest.mark.golden)


def pytest_collection_finish() -> None:
    """Let the collector pass over what was collected, which stays, and look at the rest less often."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


def _is_slow(module: ModuleType) -> bool:
    used = [value for value in vars(module).values() if getattr(value, "__module__", None) in _SLOW_SUPPORT]
    return bool(used) or hasattr(module, "subprocess") or module.__name__.startswith(_SLOW_FOLDERS)


@pytest.fixture(autouse=True, scope="session")
def repository_templates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Repositories of tests are copied from templates that are kept for the session."""
    repositories.TEMPLATES = tmp_path_factory.mktemp("templates")
    yield
    repositories.TEMPLATES = None


@pytest.fixture(scope="session")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yields for each test the directory of its environment: to find a free name takes longer with each."""
    folder = tmp_path_factory.mktemp("env")

    def directories() -> Iterator[Path]:
        for number in count():
            yield folder / str(number)
            # By the end of a session they would be twenty thousand, for one process to remove.
            shutil.rmtree(folder / str(number), ignore_errors=True)

    return directories()


@pytest.fixture(autouse=True)
def hostile_environment(environments: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace the environment, and keep every connection on this machine.

    Returns:
        A directory that holds `tmp`, the test's directory for temporary files, and is no part of `tmp_path`.
    """
    own = next(environments)
    temporary = own / "tmp"
    temporary.mkdir(parents=True)
    for name in list(os.environ):
        if name not in _KEPT and not name.startswith(_KEPT_PREFIXES):
            monkeypatch.delenv(name)
    for name, value in {
        "HOME": str(own / "no-home"),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }.items():
        monkeypatch.setenv(name, value)
    # The standard library asks for the variable only once.
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(socket.socket, "connect", _only_loopback(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", _only_loopback(socket.socket.connect_ex))
    return own


@pytest.fixture
def temporary_files(hostile_environment: Path) -> Path:
    """The test's directory for temporary files: what is in it at the end was left behind."""
    return hostile_environment / "tmp"


def _only_loopback(connect: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        remote = self.family in (socket.AF_INET, socket.AF_INET6)
        if remote and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise PermissionError(f"a test may connect to this machine only, not to {address[0]}")
        return connect(self, address)

    return guarded
