"""Workspaces by the real npm: locked, installed, and found by commands at each level of the sandbox."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from factory.checkout.pool import checkout
from factory.configuration.document import Configuration
from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.environments.cache import CACHE_VARIABLE, cache_folder
from factory.environments.environment import Environment, Package
from factory.environments.needs.declared import CommitFiles, Declared
from factory.environments.provide import Project, environment_for
from factory.environments.provision.node import node_locks
from factory.environments.tools.workshop import Workshop
from factory.gates.bench import Bench
from factory.gates.environment import gate_environment
from factory.repository.target import target
from factory.system.git.client import Git
from factory.system.sandbox.levels.choose import levels
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.port import Sandbox, Terms
from tests.support.registries import Registry, a_registry
from tests.support.repositories import commit_files, make_repo

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (shutil.which("npm") and shutil.which("node")), reason="npm is not installed"),
]

ROOT = {"name": "shop", "private": True, "workspaces": ["packages/*", "!packages/old"]}
WORDS = {"name": "@shop/words", "version": "1.0.0", "main": "words.js", "dependencies": {"alpha": "^1"}}
APP = {"name": "app", "type": "module", "dependencies": {"@shop/words": "^1.0.0", "beta": "^1"}}
SOURCES = {
    "packages/words/words.js": "exports.words = () => require('alpha') + __dirname\n",
    "packages/app/main.js": (
        "import { words } from '@shop/words';\nimport beta from 'beta';\nconsole.log(words() + ' ' + beta);\n"
    ),
    "packages/old/package.json": '{"name": "old", "dependencies": {"nowhere": "^1"}}\n',
}


def repository(**changes: Mapping[str, object]) -> dict[str, str]:
    documents = {
        "package.json": {**ROOT, **changes.get("root", {})},
        "packages/words/package.json": {**WORDS, **changes.get("words", {})},
        "packages/app/package.json": {**APP, **changes.get("app", {})},
    }
    return SOURCES | {path: f"{json.dumps(document, indent=2)}\n" for path, document in documents.items()}


def commit(texts: Mapping[str, str]) -> CommitFiles:
    data = {name: text.encode() for name, text in texts.items()}
    return CommitFiles(frozenset(data), data.get)


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    with a_registry() as served:
        served.add_npm("alpha", "1.0.0", {"index.js": "module.exports = 'alpha '"})
        served.add_npm("alpha", "2.0.0", {"index.js": "module.exports = 'alpha of two '"})
        served.add_npm("beta", "1.2.0", {"index.js": "module.exports = 'beta'"})
        served.add_npm("scripted", "1.0.0", {}, scripts={"postinstall": "touch ran"})
        yield served


@pytest.fixture
def own(registry: Registry, tmp_path: Path) -> dict[str, str]:
    """What a user with this registry has."""
    return {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "NPM_CONFIG_REGISTRY": registry.url,
        "NPM_CONFIG_FETCH_RETRIES": "0",
        CACHE_VARIABLE: str(cache_folder(os.environ) / "workspaces"),
    }


@pytest.fixture(params=["bwrap", "bwrap-noproc", "landlock", "none"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "none":
        return Unconfined()
    for level in levels(os.environ):
        if level.name == request.param and level.sandbox is not None:
            return level.sandbox
    pytest.skip("it does not work here")


def locked(texts: Mapping[str, str], own: Mapping[str, str], declared: Declared) -> dict[str, str]:
    locks = node_locks(commit(texts), declared, Workshop(own))
    return {**texts, **{str(path): data.decode() for path, data in locks.items()}}


def refusal(own: Mapping[str, str], **changes: Mapping[str, object]) -> WorkorderError:
    with pytest.raises(WorkorderError) as caught:
        locked(repository(**changes), own, Declared())
    return caught.value


def executed(
    sandbox: Sandbox, tmp_path: Path, repo: Path, environment: Environment, *words: str
) -> tuple[int | None, str]:
    """Run a command as a check does; its exit code and its last line."""
    goal = target(Git.open(repo), None)
    with checkout(goal, in_place=False, sandbox=sandbox) as opened:
        opened.stage([])
        variables = gate_environment(os.environ, environment, home=opened.home, temporary=opened.temporary)
        bench = Bench(opened, environment, variables, 60.0, Terms(sandbox))
        result = bench.baseline_context(tmp_path, exempt=False).execute("check", "…", words)
        assert result.changed == ()
        return result.exit_code, result.excerpt.splitlines()[-1]


def test_workspaces_are_locked_as_npm_does_and_once(own: dict[str, str]) -> None:
    texts = locked(repository(), own, Declared())

    packages = json.loads(texts["package-lock.json"])["packages"]
    assert set(packages) == {
        "", "node_modules/@shop/words", "node_modules/alpha", "node_modules/app", "node_modules/beta",
        "packages/app", "packages/words",
    }  # fmt: skip
    assert packages[""]["workspaces"] == ROOT["workspaces"]
    assert locked(texts, own, Declared()) == texts


def test_a_lock_that_lacks_what_a_workspace_asks_for_is_completed(own: dict[str, str]) -> None:
    without = locked(repository(app={"dependencies": {"@shop/words": "*"}}), own, Declared())
    assert "node_modules/beta" not in without["package-lock.json"]

    texts = locked(repository() | {"package-lock.json": without["package-lock.json"]}, own, Declared())

    assert "node_modules/beta" in texts["package-lock.json"]


def test_what_is_declared_beside_workspaces_is_written_into_the_root(own: dict[str, str]) -> None:
    declared = Declared(node={"beta": "^1", "scripted": "^1"})
    texts = locked(repository(), own, declared)

    assert json.loads(texts["package.json"]) == {**ROOT, "dependencies": {"scripted": "^1"}}


def test_commands_find_workspaces_in_their_own_checkout(
    sandbox: Sandbox, own: dict[str, str], tmp_path: Path
) -> None:
    repo = make_repo(tmp_path / "repo", locked(repository(), own, Declared()))
    goal = target(Git.open(repo), None)

    with environment_for(
        Project(goal.git, goal.baseline, Configuration()), own=own, progress=lambda _line: None
    ) as environment:
        assert [package for package in environment.packages if package.ecosystem == "node"] == [
            Package("node", "alpha", "1.0.0", is_direct=True),
            Package("node", "beta", "1.2.0", is_direct=True),
            Package("node", "app", "", is_direct=True),
            Package("node", "@shop/words", "1.0.0", is_direct=True),
        ]
        words = ("node", "packages/app/main.js")
        # Excerpts name places of the checkout by their paths in it.
        assert executed(sandbox, tmp_path, repo, environment, *words) == (0, "alpha packages/words beta")
        # What a work order changes is seen, though the environment was made before.
        changed = SOURCES["packages/words/words.js"].replace("__dirname", "'changed'")
        commit_files(repo, {"packages/words/words.js": changed})
        assert executed(sandbox, tmp_path, repo, environment, *words) == (0, "alpha changed beta")


def test_workspaces_of_a_project_lie_in_its_directory(own: dict[str, str], tmp_path: Path) -> None:
    texts = {f"web/{path}": text for path, text in locked(repository(), own, Declared()).items()}
    repo = make_repo(tmp_path / "repo", texts)
    goal = target(Git.open(repo), None)
    project = Project(goal.git, goal.baseline, Configuration(), directory=RepoPath.parse("web"))

    with environment_for(project, own=own, progress=lambda _line: None) as environment:
        assert environment.workspaces == {"@shop/words": "web/packages/words", "app": "web/packages/app"}
        words = ("node", "web/packages/app/main.js")
        assert executed(Unconfined(), tmp_path, repo, environment, *words) == (
            0,
            "alpha web/packages/words beta",
        )


def test_the_manifests_of_workspaces_count_for_the_environment(own: dict[str, str], tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", locked(repository(), own, Declared()))

    def environment() -> str:
        goal = target(Git.open(repo), None)
        project = Project(goal.git, goal.baseline, Configuration())
        with environment_for(project, own=own, progress=lambda _line: None) as environment:
            return environment.hash

    before = environment()
    commit_files(repo, {"packages/words/words.js": "exports.words = 1\n"})
    assert environment() == before
    commit_files(repo, {"packages/app/package.json": json.dumps({**APP, "version": "2.0.0"})})
    assert environment() != before


@pytest.mark.skipif(not any(level.sandbox for level in levels(os.environ)), reason="no sandbox works here")
def test_install_scripts_run_beside_workspaces(own: dict[str, str], tmp_path: Path) -> None:
    texts = locked(repository(root={"dependencies": {"scripted": "^1"}}), own, Declared())
    repo = make_repo(tmp_path / "repo", texts)
    goal = target(Git.open(repo), None)
    configuration = Configuration.model_validate({"environment": {"allow-build": ["scripted"]}})

    with environment_for(
        Project(goal.git, goal.baseline, configuration), own=own, progress=lambda _line: None
    ) as environment:
        assert environment.node_modules is not None
        assert (environment.node_modules / "scripted" / "ran").is_file()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"app": {"dependencies": {"alpha": "^2"}}},
            "package-lock.json: holds second versions of packages, and one of each is supported: alpha ",
        ),
        (
            {"app": {"dependencies": {"@shop/words": "^2"}}},
            "packages/words/package.json: the workspace `@shop/words` is asked for in a version that it does",
        ),
        ({"app": {"dependencies": {"nowhere": "*"}}}, "package.json: the npm package nowhere is not in the"),
    ],
)
def test_what_npm_can_not_lock_is_said(
    own: dict[str, str], changes: dict[str, Mapping[str, object]], message: str
) -> None:
    assert str(refusal(own, **changes)).startswith(message)
