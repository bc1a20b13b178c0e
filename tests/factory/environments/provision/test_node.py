"""Packages from a registry of npm's kind on loopback, by the real npm: locked, installed, and refused."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.contract.errors import WorkorderError
from factory.environments.cache import Cache, cache_folder
from factory.environments.environment import Package
from factory.environments.needs.declared import BadPlannedPackages, CommitFiles, Declared
from factory.environments.provision.node import node_locks, node_packages
from factory.environments.provision.part import Part
from factory.environments.tools.workshop import Workshop
from factory.system.sandbox.levels.choose import levels
from tests.support.registries import Registry, a_registry

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (shutil.which("npm") and shutil.which("node")), reason="npm is not installed"),
]


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    with a_registry() as served:
        served.add_npm(
            "alpha", "1.0.0", {"index.js": "module.exports = 'alpha'"}, dependencies={"beta": "^1"}
        )
        served.add_npm("beta", "1.2.0", {"index.js": "module.exports = 'beta'"})
        served.add_npm("scripted", "1.0.0", {}, scripts={"postinstall": "touch ran"})
        served.add_npm("linking", "1.0.0", {}, scripts={"install": "ln -s /etc out"})
        served.add_npm("gitty", "1.0.0", {}, dependencies={"beta": "git+https://127.0.0.1:9/beta.git"})
        yield served


@pytest.fixture
def scene(registry: Registry, tmp_path: Path) -> "Scene":
    return Scene(registry, tmp_path)


class Scene:
    """A user with a registry and a cache."""

    def __init__(self, registry: Registry, place: Path) -> None:
        self.own = {
            "HOME": str(place),
            "PATH": os.environ["PATH"],
            "NPM_CONFIG_REGISTRY": registry.url,
            "NPM_CONFIG_FETCH_RETRIES": "0",
        }
        self.place = place
        self.said: list[str] = []
        self.cache = Cache(cache_folder(os.environ) / "provision-node")

    @property
    def workshop(self) -> Workshop:
        return Workshop(self.own, self.place / "out", self.said.append)

    def locked(self, texts: dict[str, str], wanted: Declared) -> dict[str, str]:
        locks = node_locks(commit(texts), wanted, self.workshop)
        return texts | {str(path): data.decode() for path, data in locks.items()}

    def failure(self, texts: dict[str, str], wanted: Declared) -> WorkorderError:
        with pytest.raises(WorkorderError) as caught, self.installed(texts, wanted):
            pass
        return caught.value

    @contextmanager
    def installed(self, texts: dict[str, str], wanted: Declared) -> Iterator[Part | None]:
        locked = commit(self.locked(texts, wanted))
        with node_packages(locked, wanted, self.cache, self.workshop) as part:
            yield part


def commit(texts: dict[str, str]) -> CommitFiles:
    data = {name: text.encode() for name, text in texts.items()}
    return CommitFiles(frozenset(data), data.get)


def asking(place: str = "workorder.toml", **node: str) -> Declared:
    return Declared(node=node, node_places=dict.fromkeys(node, place))


def test_what_is_declared_is_locked_and_installed(scene: Scene) -> None:
    wanted = asking(alpha="^1")
    texts = scene.locked({}, wanted)

    assert set(texts) == {"package.json", "package-lock.json"}
    assert scene.locked(texts, wanted) == texts
    assert '"name": "project"' in texts["package-lock.json"]
    with node_packages(commit(texts), wanted, scene.cache, scene.workshop) as part:
        assert part is not None
        assert part.packages == (
            Package("node", "alpha", "1.0.0", is_direct=True),
            Package("node", "beta", "1.2.0"),
        )
        assert part.node_modules is not None
        asked = [shutil.which("node") or "", "-p", "require('alpha') + require('beta')"]
        shown = subprocess.run(
            asked, cwd=part.node_modules.parent, capture_output=True, text=True, check=True
        )
        assert shown.stdout == "alphabeta\n"
    # Nothing is asked for again: neither npm nor a registry.
    scene.own["NPM_CONFIG_REGISTRY"] = "http://127.0.0.1:9"
    with node_packages(commit(texts), wanted, scene.cache, scene.workshop) as kept:
        assert kept == part


def test_what_is_for_development_only_is_installed_and_locked_as_that(scene: Scene) -> None:
    wanted = replace(asking(alpha="^1"), node_dev=frozenset({"alpha"}))
    texts = scene.locked({}, wanted)

    assert json.loads(texts["package.json"]) == {"private": True, "devDependencies": {"alpha": "^1"}}
    packages = json.loads(texts["package-lock.json"])["packages"]
    assert all(entry["dev"] for place, entry in packages.items() if place)
    assert scene.locked(texts, wanted) == texts
    with node_packages(commit(texts), wanted, scene.cache, scene.workshop) as part:
        assert part is not None
        # A source may import it, as it may one of `devDependencies` in a manifest of the repository's.
        assert Package("node", "alpha", "1.0.0", is_direct=True) in part.packages


def test_a_project_without_packages_still_has_the_node_that_its_commands_find(scene: Scene) -> None:
    with scene.installed({"package.json": '{"name": "shop"}'}, Declared()) as part:
        assert part is not None
        assert part.interpreters[0].startswith("node ")
        assert (part.packages, part.node_modules) == ((), None)
    with scene.installed({"src/a.js": ""}, Declared()) as part:
        assert part is None


def test_an_install_script_does_not_run_and_its_package_is_named(scene: Scene) -> None:
    wanted = asking(scripted="^1")
    with node_packages(commit(scene.locked({}, wanted)), wanted, scene.cache, scene.workshop) as part:
        assert part is not None
        assert part.packages == (Package("node", "scripted", "1.0.0", is_direct=True),)

    assert scene.said[-1].startswith("installed without running their install scripts")
    assert scene.said[-1].endswith(": scripted")
    assert not list(scene.place.rglob("ran"))


@pytest.mark.skipif(not any(level.sandbox for level in levels(os.environ)), reason="no sandbox works here")
def test_an_install_script_that_may_run_does_so_in_the_sandbox(scene: Scene) -> None:
    wanted = replace(asking(scripted="^1"), allow_build=frozenset({"scripted", "linking"}))
    with node_packages(commit(scene.locked({}, wanted)), wanted, scene.cache, scene.workshop) as part:
        assert part is not None
        assert part.node_modules is not None
        ran = part.node_modules / "scripted" / "ran"
        assert ran.is_file()
        assert ran.stat().st_uid == os.geteuid()
    assert scene.said[-1] == "running install scripts in the sandbox: scripted"

    linking = replace(asking(linking="^1"), allow_build=frozenset({"linking"}))
    assert scene.failure({}, linking).message == "an install script left a link to another place: out"


def test_a_package_from_git_deep_below_is_refused(scene: Scene) -> None:
    assert scene.failure({}, asking(gitty="^1")).message.startswith("a package of npm asks for one from git")


@pytest.mark.parametrize("name", ["nowhere", "alpha"])
def test_a_package_that_does_not_exist_is_named_with_who_asked_for_it(scene: Scene, name: str) -> None:
    error = scene.failure({}, asking("the plan's environment", **{name: "^7"}))

    assert isinstance(error, BadPlannedPackages)
    assert f"the npm package {name} is not in the registry" in error.message


def test_a_file_with_another_hash_is_refused(scene: Scene, registry: Registry) -> None:
    wanted = asking(beta="^1")
    texts = scene.locked({}, wanted)
    start = texts["package-lock.json"].index("sha512-")
    forged = (
        texts["package-lock.json"][:start] + "sha512-" + "A" * 86 + texts["package-lock.json"][start + 93 :]
    )

    error = scene.failure(texts | {"package-lock.json": forged}, wanted)

    assert error.message.startswith("a file of npm's registry has another hash than the lock says")
    assert EXIT_CODES[error.fault] is ExitCode.ENVIRONMENT


def test_a_registry_that_does_not_answer_is_the_machines(scene: Scene) -> None:
    scene.own["NPM_CONFIG_REGISTRY"] = "http://127.0.0.1:9"

    error = scene.failure({}, asking(alpha="^1"))

    assert error.message.startswith("npm's registry does not answer, and these are not in the cache: alpha")
    assert EXIT_CODES[error.fault] is ExitCode.ENVIRONMENT
    assert (scene.place / "out" / "node-lock.txt").is_file()


@pytest.mark.parametrize(("token", "is_known"), [("of-the-registry", True), ("another", False)])
def test_a_token_that_npmrc_takes_from_a_variable_is_the_users(
    scene: Scene, token: str, is_known: bool
) -> None:
    with a_registry() as private:
        private.add_npm("@corp/words", "1.0.0", {"index.js": ""})
        private.accepts = frozenset({"Bearer of-the-registry"})
        place = private.url.removeprefix("http:")
        (scene.place / ".npmrc").write_text(
            f"@corp:registry={private.url}\n{place}/:_authToken=${{TOKEN_OF_CORP}}\n"
        )
        scene.own["TOKEN_OF_CORP"] = token
        if is_known:
            assert "@corp/words" in scene.locked({}, asking(**{"@corp/words": "^1"}))["package-lock.json"]
        else:
            error = scene.failure({}, asking(**{"@corp/words": "^1"}))
            assert error.message.startswith("a registry of npm does not accept your credentials")
            assert EXIT_CODES[error.fault] is ExitCode.ENVIRONMENT


def test_without_npm_it_is_said_how_to_install_it(scene: Scene) -> None:
    scene.own["PATH"] = "/nonexistent"

    error = scene.failure({}, asking(alpha="^1"))

    assert error.message == "npm is not installed, or not on PATH"
    assert EXIT_CODES[error.fault] is ExitCode.ENVIRONMENT
