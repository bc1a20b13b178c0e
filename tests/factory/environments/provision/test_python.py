"""Python packages from an index on loopback, by the real uv: locked, landed, installed, and refused."""

import base64
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.configuration.document import Configuration, read_configuration
from factory.contract.errors import MachineProblem, WorkorderError
from factory.contract.packages.planned import PlannedEnvironment
from factory.environments.cache import CACHE_VARIABLE, Cache, cache_folder
from factory.environments.environment import Environment, Package
from factory.environments.locking import with_locked_packages
from factory.environments.needs.declared import CommitFiles, Declared, declared
from factory.environments.needs.python.needs import OWN_LOCK
from factory.environments.provide import Project
from factory.environments.provision.python import python_environment_for, python_locks
from factory.environments.tools.workshop import Workshop
from factory.repository.target import Target, target
from factory.system.git.client import Git
from tests.support.registries import Registry, a_registry, a_wheel, an_sdist
from tests.support.repositories import git, make_repo

_UV = Path(sys.executable).parent / "uv"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (_UV.is_file() or shutil.which("uv")), reason="uv is not installed"),
]


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    with a_registry() as served:
        served.add_wheel(
            "pytest",
            "9.9",
            scripts={"pytest": "pytest:main"},
            files={"pytest.py": "def main(): print('ran')\n"},
        )
        served.add_python(
            "winonly-sourced", "winonly-sourced-1.0.tar.gz", an_sdist("winonly-sourced", "1.0", {})
        )
        served.add_wheel("alpha", "1.0", requires=("beta>=1", "winonly; sys_platform == 'win32'"))
        served.add_wheel("winonly", "1.0")
        served.add_wheel("beta", "1.0")
        served.add_wheel("beta", "2.0")
        served.add_wheel(
            "pth", "1.0", files={"pth.py": "", "evil.pth": "import os; os.mkdir('/tmp/workorder-pth')\n"}
        )
        served.add_python("sourced", "sourced-1.0.tar.gz", an_sdist("sourced", "1.0", {"setup.py": "1/0\n"}))
        served.add_python("forged", "forged-1.0-py3-none-any.whl", a_wheel("forged", "1.0"), sha256="0" * 64)
        yield served


@pytest.fixture
def scene(registry: Registry, tmp_path: Path) -> "Scene":
    return Scene(registry, tmp_path)


class Scene:
    """A user with an index, a cache and a repository."""

    def __init__(self, registry: Registry, place: Path) -> None:
        self.place = place
        self.own = {
            "HOME": str(place / "home"),
            "PATH": os.environ["PATH"],
            "UV_DEFAULT_INDEX": registry.index,
            "UV_CACHE_DIR": str(place / "uv"),
            "UV_HTTP_RETRIES": "0",
        }
        # Where everybody may enter, and nobody else prunes.
        self.cache = Cache(cache_folder(os.environ) / "provision")
        self.said: list[str] = []

    @property
    def workshop(self) -> Workshop:
        return Workshop(self.own, self.place / "out", self.said.append)

    def locked(self, texts: dict[str, str], wanted: Declared | None = None) -> dict[str, str]:
        files = commit(texts)
        locks = python_locks(files, wanted or Declared(), self.cache, self.workshop)
        return texts | {str(path): data.decode() for path, data in locks.items()}

    def output(self, texts: dict[str, str], code: str) -> tuple[str, tuple[Package, ...]]:
        with python_environment_for(commit(texts), Declared(), self.cache, self.workshop) as environment:
            done = subprocess.run(
                ["python", "-c", code],
                env={"PATH": str(environment.programs[0])},
                capture_output=True,
                text=True,
                check=True,
            )
            return done.stdout.strip(), environment.packages

    def failure(self, texts: dict[str, str], wanted: Declared | None = None) -> WorkorderError:
        with pytest.raises(WorkorderError) as caught:
            self.output(self.locked(texts, wanted), "0")
        return caught.value


def commit(texts: dict[str, str]) -> CommitFiles:
    data = {name: text.encode() for name, text in texts.items()}
    return CommitFiles(frozenset(data), data.get)


def test_what_is_not_locked_is_locked_and_what_is_locked_is_installed(scene: Scene) -> None:
    texts = scene.locked({"requirements.txt": "alpha\nbeta<2\n"})

    assert "alpha==1.0 \\\n    --hash=sha256:" in texts[OWN_LOCK]
    # A colleague's machine finds its own packages in the same lock.
    assert "winonly==1.0 ; sys_platform == 'win32' \\\n    --hash=sha256:" in texts[OWN_LOCK]
    assert texts[OWN_LOCK].splitlines()[0].startswith("# Locked by Workorder for Python 3.")
    assert scene.locked(texts) == texts
    shown, packages = scene.output(texts, "import alpha, beta; print(alpha.VERSION, beta.VERSION)")
    assert shown == "1.0 1.0"
    assert packages == (
        Package("python", "alpha", "1.0", is_direct=True),
        Package("python", "beta", "1.0", is_direct=True),
        Package("python", "pytest", "9.9", is_direct=True),
    )
    assert (scene.place / "out" / "python-install.txt").is_file()


def test_where_another_platform_has_no_wheel_it_is_locked_for_this_one(scene: Scene) -> None:
    texts = scene.locked({"requirements.txt": "beta\nwinonly-sourced; sys_platform == 'win32'\n"})

    assert (
        texts[OWN_LOCK]
        .splitlines()[0]
        .endswith(" on this platform; it is written anew when what it follows from changes.")
    )
    assert "winonly" not in texts[OWN_LOCK]


def test_a_kept_environment_needs_no_network_and_no_uv(scene: Scene) -> None:
    texts = scene.locked({"requirements.txt": "alpha\n"})
    scene.output(texts, "0")
    scene.own |= {"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "PATH": "/nonexistent"}
    scene.said.clear()

    assert scene.output(scene.locked(texts), "import alpha; print(1)")[0] == "1"
    assert scene.said == []


def test_commands_of_packages_find_the_interpreter_where_the_environment_is_kept(scene: Scene) -> None:
    texts = scene.locked({"requirements.txt": "alpha\n"})
    with python_environment_for(commit(texts), Declared(), scene.cache, scene.workshop) as environment:
        program = environment.programs[0] / "pytest"
        assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "ran\n"
        assert not os.access(program, os.W_OK) or os.geteuid() == 0
        assert list(environment.python.parent.parent.rglob("alpha*.pyc"))


def test_nothing_that_a_package_brings_runs_when_it_is_installed(scene: Scene) -> None:
    trace = Path("/tmp/workorder-pth")
    texts = scene.locked({"requirements.txt": "pth\n"})
    with python_environment_for(commit(texts), Declared(), scene.cache, scene.workshop):
        assert not trace.exists()
    # Its trace would be seen: only here, by a Python that does read it.
    scene.output(texts, "0")
    assert trace.is_dir()
    trace.rmdir()


def test_a_package_that_does_not_exist_is_named_with_who_asked_for_it(scene: Scene) -> None:
    of_user = scene.failure({}, Declared(python={"nowhere>=1": "workorder.toml"}))
    of_plan = scene.failure(
        {}, declared(Configuration().environment, PlannedEnvironment(python=("Nowhere",)))
    )

    assert of_user.headline == "workorder.toml: the Python package nowhere is not in the index"
    assert EXIT_CODES[of_user.fault] is ExitCode.REFUSED
    assert of_plan.headline == "the plan's environment: the Python package nowhere is not in the index"
    assert EXIT_CODES[of_plan.fault] is ExitCode.PLAN_DEFECT


@pytest.mark.parametrize("wanted", ["alpha==7.0", "alpha>7"])
def test_a_version_that_does_not_exist_is_told_as_such(scene: Scene, wanted: str) -> None:
    error = scene.failure({}, Declared(python={wanted: "workorder.toml"}))
    gone = scene.failure({"requirements.txt": f"alpha==7.0 --hash=sha256:{'0' * 64}\npytest==9.9\n"})

    assert error.headline == (
        f"workorder.toml: the index has no version of the Python package alpha that is asked for: {wanted}"
    )
    assert EXIT_CODES[error.fault] is ExitCode.REFUSED
    assert "the index has no version of the Python package alpha that is asked for" in gone.message


def test_what_is_not_read_is_told_also_where_nothing_else_is_asked_for(scene: Scene) -> None:
    scene.locked({"poetry.lock": "", "pyproject.toml": "[tool.poetry]\nname = 'shop'\n"})

    assert scene.said == [
        "poetry.lock is not read: declare the packages in `[environment]`, or lock them with uv"
    ]


def test_packages_that_do_not_fit_together_are_told(scene: Scene) -> None:
    assert scene.failure({}, Declared(python={"beta<1": "workorder.toml"})).where == "workorder.toml"
    error = scene.failure({"requirements.txt": "alpha\nbeta<1\n"})

    assert error.message.startswith("the Python packages don't fit together: ")
    assert "beta<1" in error.message
    assert EXIT_CODES[error.fault] is ExitCode.REFUSED


def test_a_package_that_wants_to_build_is_refused_by_name(scene: Scene) -> None:
    error = scene.failure({"requirements.txt": "sourced\n"})

    assert error.message.startswith("the Python package sourced has no wheel for this interpreter")
    assert "wheel" in error.hint


def test_a_file_with_another_hash_is_refused_by_name(scene: Scene) -> None:
    texts = scene.locked({"requirements.txt": "beta==2.0\n"})
    forged = re.sub(r"(beta==2\.0 .{0,5}\s+--hash=sha256:)[0-9a-f]{64}", r"\g<1>" + "0" * 64, texts[OWN_LOCK])
    assert forged != texts[OWN_LOCK]

    before = [entry.name for entry in scene.cache.entries()]
    error = scene.failure({"requirements.txt": "beta==2.0\n", OWN_LOCK: forged})

    assert error.message == "a file of beta==2.0 has another hash than the lock says"
    assert EXIT_CODES[error.fault] is ExitCode.ENVIRONMENT
    assert [entry.name for entry in scene.cache.entries()] == before


def test_an_index_that_does_not_answer_is_the_machines_and_its_credentials_stay_secret(scene: Scene) -> None:
    scene.own["UV_DEFAULT_INDEX"] = "http://someone:hunter2@127.0.0.1:9/simple"

    error = scene.failure({"requirements.txt": "alpha\n"})

    assert error.message.startswith(
        "the index of Python packages does not answer, and these are not in the cache"
    )
    assert "alpha" in error.message
    assert EXIT_CODES[error.fault] is ExitCode.ENVIRONMENT
    everything = str(error) + "".join(
        path.read_text() for path in (scene.place / "out").rglob("*") if path.is_file()
    )
    assert "hunter2" not in everything
    assert "someone" not in everything


def test_an_index_that_wants_other_credentials_is_named_without_them(scene: Scene) -> None:
    with a_registry() as private:
        private.add_wheel("alpha", "1.0")
        private.accepts = frozenset({"Basic " + base64.b64encode(b"someone:hunter2").decode()})
        index = private.index.replace("://", "://someone:{}@")
        scene.own["UV_INDEX"] = index.format("hunter3")
        refused = scene.failure({"requirements.txt": "alpha\n"})
        scene.own["UV_INDEX"] = index.format("hunter2")
        scene.locked({"requirements.txt": "alpha\n"})

    assert refused.message.startswith(
        f"an index of Python packages {private.index} does not accept your credentials, or asks for some"
    )
    assert EXIT_CODES[refused.fault] is ExitCode.ENVIRONMENT
    kept = [path.read_text() for path in (scene.place / "out").rglob("*") if path.is_file()]
    assert "hunter" not in str(refused) + "".join(kept)


def test_without_uv_it_is_said_how_to_install_it(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.own["PATH"] = "/nonexistent"
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")

    error = scene.failure({"requirements.txt": "alpha\n"})

    assert error.message == "uv is not installed, or not on PATH"
    assert error.hint == "install it: pip install 'workorder[packages]'"
    assert EXIT_CODES[error.fault] is ExitCode.ENVIRONMENT


def test_an_interpreter_that_is_not_there_is_named(scene: Scene) -> None:
    error = scene.failure({".python-version": "3.99\n"})

    assert isinstance(error, MachineProblem)
    assert error.message == "the project asks for Python 3.99, and no such interpreter is on this machine"


def test_an_environment_that_another_process_prunes_is_made_again(scene: Scene) -> None:
    scene.cache = Cache(cache_folder(os.environ) / "pruned")
    texts = scene.locked({"requirements.txt": "alpha\n"})
    scene.output(texts, "0")
    with python_environment_for(commit(texts), Declared(), scene.cache, scene.workshop) as environment:
        _, in_use = scene.cache.prune(float("inf"))
        assert environment.python.exists()
    assert len(in_use) == 1
    scene.cache.prune(float("inf"))
    assert not environment.python.exists()
    assert scene.output(texts, "import alpha; print(1)")[0] == "1"


def test_what_pip_is_configured_to_use_is_used(scene: Scene, registry: Registry) -> None:
    del scene.own["UV_DEFAULT_INDEX"]
    pip = scene.place / "home" / ".config" / "pip" / "pip.conf"
    pip.parent.mkdir(parents=True)
    pip.write_text(f"[global]\nindex-url = {registry.index}\n")

    assert "alpha==1.0" in scene.locked({"requirements.txt": "alpha\n"})[OWN_LOCK]


def test_the_lock_is_a_commit_of_its_own_and_is_made_once(scene: Scene) -> None:
    toml = b'[environment]\npython = ["alpha"]\n'
    repo = make_repo(scene.place / "repo", {"workorder.toml": toml, "a.txt": "x"})
    goal = target(Git.open(repo), None)

    def refuse(_environment: Environment) -> None:
        raise MachineProblem("a service does not get ready")

    with pytest.raises(MachineProblem, match="a service"):
        lock(scene, goal, read_configuration(toml, None), refuse)
    assert git(repo, "rev-parse", "HEAD") == goal.baseline

    landed = lock(scene, goal, read_configuration(toml, None))

    assert git(repo, "rev-parse", "HEAD") == landed.baseline
    assert git(repo, "show", "--format=", "--name-only", "HEAD").split() == [OWN_LOCK]
    assert git(repo, "log", "-1", "--format=%s%n%(trailers:key=Locked-Packages,valueonly)").splitlines()[
        0
    ] == ("Lock the packages")
    assert git(repo, "status", "--porcelain") == ""
    assert lock(scene, landed, read_configuration(toml, None)) == landed


def lock(
    scene: Scene,
    goal: Target,
    configuration: Configuration,
    startable: Callable[[Environment], None] = lambda _environment: None,
) -> Target:
    project = Project(goal.git, goal.baseline, configuration, out=scene.place / "out")
    own = scene.own | {CACHE_VARIABLE: str(cache_folder(os.environ))}
    return with_locked_packages(goal, project, lambda: None, startable, own=own, progress=scene.said.append)
