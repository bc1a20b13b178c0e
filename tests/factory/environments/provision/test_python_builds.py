"""Packages without a wheel: built in the sandbox where that is allowed, from what is locked, with uv."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.environments.cache import Cache
from factory.environments.needs.declared import Declared
from factory.environments.needs.python.needs import OWN_LOCK
from factory.environments.provision.python import python_environment_for, python_locks
from factory.environments.tools.workshop import Workshop
from factory.system.sandbox.levels.choose import levels
from tests.factory.environments.provision.test_python import Scene, commit, pytestmark
from tests.support.registries import Registry, a_registry, an_sdist

__all__ = ["pytestmark"]

pytestmark = [
    *pytestmark,
    pytest.mark.skipif(not any(level.sandbox for level in levels({})), reason="no sandbox works here"),
]

# A backend that the source brings along; what it needs is a wheel. It says what it sees of the machine.
BACKEND = """
import os, socket, zipfile, zlib
import helper

def build_wheel(target, config_settings=None, metadata_directory=None):
    try:
        socket.create_connection(("127.0.0.1", {port}), 2)
    except OSError:
        pass
    else:
        raise SystemExit("there is a network")
    if "{secret}" in os.environ.values():
        raise SystemExit("there is a secret")
    name = "sourced-{version}-py3-none-any.whl"
    info = "sourced-{version}.dist-info"
    with zipfile.ZipFile(os.path.join(target, name), "w") as wheel:
        wheel.writestr("sourced.py", "VERSION = '{version}'; HELPED = " + repr(helper.VERSION))
        said = "Metadata-Version: 2.1\\nName: sourced\\nVersion: {version}\\nRequires-Dist: beta\\n"
        wheel.writestr(info + "/METADATA", said)
        said = "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        wheel.writestr(info + "/WHEEL", said)
        wheel.writestr(info + "/RECORD", "")
    return name
"""
PYPROJECT = """
[build-system]
requires = ["helper"]
build-backend = "backend"
backend-path = ["."]
"""


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    with a_registry() as served:
        for name in ("pytest", "beta", "helper"):
            served.add_wheel(name, "1.0")
        port = int(served.url.rpartition(":")[2])
        for version in ("1.0", "2.0"):
            text = BACKEND
            for key, value in (("port", port), ("secret", "hunter2"), ("version", version)):
                text = text.replace("{" + key + "}", str(value))
            files = {"pyproject.toml": PYPROJECT, "backend.py": text, "setup.py": "1/0"}
            served.add_python("sourced", f"sourced-{version}.tar.gz", an_sdist("sourced", version, files))
        broken = {"pyproject.toml": PYPROJECT, "backend.py": "raise SystemExit('no compiler')"}
        served.add_python("broken", "broken-1.0.tar.gz", an_sdist("broken", "1.0", broken))
        yield served


@pytest.fixture
def scene(registry: Registry, tmp_path: Path) -> Scene:
    made = Scene(registry, tmp_path)
    made.own["NPM_TOKEN"] = "hunter2"
    return made


ALLOWED = Declared(allow_build=frozenset({"Sourced", "broken"}))


def test_what_may_be_built_is_built_in_the_sandbox_from_what_is_locked(
    scene: Scene, registry: Registry
) -> None:
    texts = scene.locked({"requirements.txt": "sourced<2\n"}, ALLOWED)

    [page] = [registry.pages["/simple/sourced/"].decode()]
    digest = re.search(r"sourced-1\.0\.tar\.gz#sha256=(\w+)", page)
    assert digest is not None
    assert f"sourced==1.0 \\\n    --hash=sha256:{digest[1]}\n" in texts[OWN_LOCK]
    assert "beta==1.0" in texts[OWN_LOCK]
    assert "building sourced 1.0 in the sandbox" in scene.said
    scene.said.clear()
    with python_environment_for(commit(texts), ALLOWED, scene.cache, scene.workshop) as environment:
        [module] = environment.python.parent.parent.rglob("sourced.py")
        assert module.read_text() == "VERSION = '1.0'; HELPED = '1.0'"
    # What was built is kept.
    assert scene.said == ["installing 3 Python packages"]


def test_without_leave_it_is_not_built(scene: Scene) -> None:
    error = scene.failure({"requirements.txt": "sourced\n"})

    assert 'allow-build = ["sourced"]' in error.hint
    assert EXIT_CODES[error.fault] is ExitCode.REFUSED


def test_what_can_not_be_built_says_why(scene: Scene) -> None:
    error = scene.failure({"requirements.txt": "broken\n"}, ALLOWED)

    assert error.message == "broken 1.0 can't be built in the sandbox: no compiler"


def test_another_source_than_the_locked_one_is_not_built(scene: Scene) -> None:
    texts = scene.locked({"requirements.txt": "sourced==2.0\n"}, ALLOWED)
    forged = re.sub(
        r"(sourced==2\.0 .{0,5}\s+--hash=sha256:)[0-9a-f]{64}", r"\g<1>" + "0" * 64, texts[OWN_LOCK]
    )
    files = commit(texts | {OWN_LOCK: forged})
    with (
        pytest.raises(Exception, match="has another hash than the lock says") as caught,
        python_environment_for(files, ALLOWED, Cache(scene.cache.folder), Workshop(scene.own)),
    ):
        pass
    assert EXIT_CODES[caught.value.fault] is ExitCode.ENVIRONMENT  # type: ignore[attr-defined]
    assert python_locks(commit(texts), ALLOWED, scene.cache, scene.workshop) == {}
