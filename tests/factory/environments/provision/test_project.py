"""Runs and builds whose commands need packages: the lock lands first, and what lands is tested with it."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.contract.work_order import SPEC_NAME
from factory.environments.needs.python.needs import OWN_LOCK
from tests.support.answers import a_proposal, sha256
from tests.support.builds import BuildScene, writes
from tests.support.registries import Registry, a_registry
from tests.support.repositories import VERIFY_PASSES, git, make_repo
from tests.support.runs import Scene

_UV = Path(sys.executable).parent / "uv"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (_UV.is_file() or shutil.which("uv")), reason="uv is not installed"),
]

NEEDS_ALPHA = "python -c \"import alpha; assert alpha.VERSION == '1.0'\""
DECLARED = b'[environment]\npython = ["alpha"]\n'


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    with a_registry() as served:
        served.add_wheel("pytest", "9.9")
        served.add_wheel("alpha", "1.0")
        yield served


@pytest.fixture(autouse=True)
def index(registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", registry.index)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")


def subjects(repo: Path) -> list[str]:
    return git(repo, "log", "--format=%s").splitlines()


def test_a_run_locks_first_and_its_commands_find_the_packages(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"workorder.toml": DECLARED, **VERIFY_PASSES})
    scene = Scene(repo, acceptance_commands=[NEEDS_ALPHA])

    ending = scene.run().ending

    assert ending.exit_code is ExitCode.PASS, ending.message
    assert subjects(repo)[1] == "Lock the packages"
    assert subjects(repo)[0].startswith("WO-01: ")
    assert len(git(repo, "log", "-1", "--format=%(trailers:key=Environment,valueonly)").strip()) == 64
    assert any("2 packages" in line for line in scene.progress)
    assert (scene.out / "environment" / "python-lock.txt").is_file()


def test_a_project_has_packages_of_its_own_and_the_engineer_is_told_of_them(tmp_path: Path) -> None:
    files = {
        "workorder.toml": b'projects = ["api"]\n',
        "api/workorder.toml": DECLARED,
        **{f"api/{name}": content for name, content in VERIFY_PASSES.items()},
        **VERIFY_PASSES,
    }
    repo = make_repo(tmp_path / "repo", files)
    answers = [a_proposal({"api/size.py": "SIZE = 1\n"})]
    of_api = {"project": "api", "allowed_files": ["api/size.py"], "acceptance_commands": [NEEDS_ALPHA]}
    scene = Scene(repo, answers, **of_api)

    finished = scene.run()

    assert finished.ending.exit_code is ExitCode.PASS, finished.ending.message
    assert git(repo, "ls-files", "*.lock").split() == [f"api/{OWN_LOCK}"]
    assert finished.folder is not None
    prompt = (finished.folder / "attempt_1" / "se_prompt.txt").read_text()
    assert "python: alpha 1.0\n" in prompt


def test_a_build_with_a_plan_that_declares_locks_once(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", VERIFY_PASSES)
    scene = planned(repo, {"python": ["alpha>=1"]})

    first = scene.build()
    assert first.ended.exit_code is ExitCode.PASS, first.ended.message
    lock = git(repo, "show", f"HEAD:{OWN_LOCK}")
    assert [subject.split(":")[0] for subject in subjects(repo)][:2] == ["WO-01", "Lock the packages"]
    assert scene.build().ended.exit_code is ExitCode.PASS
    assert git(repo, "show", f"HEAD:{OWN_LOCK}") == lock
    assert subjects(repo).count("Lock the packages") == 1


def test_an_attempt_that_fails_finds_the_lock_again(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"workorder.toml": DECLARED, **VERIFY_PASSES})
    scene = Scene(repo, [a_proposal()] * 4, acceptance_commands=["python -c 'import nowhere'"])

    assert scene.run().ending.exit_code is not ExitCode.PASS
    landed = git(repo, "rev-parse", "HEAD")
    assert subjects(repo)[0] == "Lock the packages"
    scene.run()
    assert git(repo, "rev-parse", "HEAD") == landed


def test_a_plan_that_names_what_does_not_exist_is_at_fault_and_nothing_is_changed(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", VERIFY_PASSES)
    before = git(repo, "rev-parse", "HEAD")
    scene = planned(repo, {"python": ["nowhere"]})

    assert scene.build().ended.exit_code is ExitCode.PLAN_DEFECT
    assert git(repo, "rev-parse", "HEAD") == before
    assert scene.model.asked == []


@pytest.mark.parametrize(
    ("spec", "allowed", "refused"),
    [
        ("It greets.\n", [], True),
        ("It greets with Alpha.\n", [], False),
        ("It greets.\n", ["alpha"], False),
        (None, [], False),
    ],
)
def test_what_no_person_has_named_is_not_fetched(
    tmp_path: Path,
    registry: Registry,
    spec: str | None,
    allowed: list[str],
    refused: bool,
) -> None:
    repo = make_repo(tmp_path / "repo", VERIFY_PASSES)
    before = git(repo, "rev-parse", "HEAD")
    required = [{"ecosystem": "python", "specifier": "alpha"}]
    scene = planned(repo, {}, spec=spec, allowed_packages=allowed, requires_packages=required)
    del registry.asked[:]

    ended = scene.build().ended

    assert scene.model.asked == [] if refused else scene.model.asked != []
    assert (ended.exit_code is ExitCode.PLAN_DEFECT) is refused
    if refused:
        assert registry.asked == []
        assert git(repo, "rev-parse", "HEAD") == before
        assert ended.message == (
            "WO-01 /requires_packages/0: "
            "neither the specification nor the repository names the package `alpha`"
        )


def test_without_an_index_nothing_is_changed_and_it_is_the_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    repo = make_repo(tmp_path / "repo", {"workorder.toml": DECLARED, **VERIFY_PASSES})
    before = git(repo, "rev-parse", "HEAD")

    ending = Scene(repo).run().ending

    assert ending.exit_code is ExitCode.ENVIRONMENT
    assert "not in the cache: alpha" in ending.message
    assert git(repo, "rev-parse", "HEAD") == before
    assert git(repo, "status", "--porcelain") == ""


def test_what_is_not_committed_keeps_a_lock_from_landing(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"workorder.toml": DECLARED})
    (repo / "mine.txt").write_text("x")

    ending = Scene(repo).run().ending

    assert ending.exit_code is ExitCode.REFUSED
    assert "the checkout is not clean" in ending.message


def planned(
    repo: Path, environment: object, *, spec: str | None = None, allowed_packages: Any = (), **fields: Any
) -> BuildScene:
    def reply(_order: str, _attempt: int, _request: object) -> str:
        return a_proposal({"a.txt": "x\n"})

    scene = BuildScene(repo, [writes("a.txt", acceptance_commands=["test -f a.txt"], **fields)], reply)
    manifest: Any = {"system_overview": [], "work_orders": [scene.order("WO-01")], "environment": environment}
    if spec is not None:
        (scene.plan / SPEC_NAME).write_text(spec)
        manifest |= {"spec_text_hash": sha256(spec), "allowed_packages": list(allowed_packages)}
    scene.write_manifest(manifest)
    return scene
