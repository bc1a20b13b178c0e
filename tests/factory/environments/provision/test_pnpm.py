"""A lock of pnpm: installed by the real pnpm, where there is one; and what its words mean, by a stand-in."""

import base64
import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.contract.errors import WorkorderError
from factory.environments.cache import Cache, cache_folder
from factory.environments.needs.declared import CommitFiles, Declared
from factory.environments.provision.node import node_packages
from factory.environments.tools.workshop import Workshop
from tests.support.registries import a_registry

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")

LOCK = """lockfileVersion: '9.0'
settings:
  autoInstallPeers: true
  excludeLinksFromLockfile: false
{overrides}importers:
  .:
    dependencies:
      alpha:
        specifier: {wanted}
        version: 1.0.0
packages:
  alpha@1.0.0:
    resolution: {{integrity: {integrity}}}
snapshots:
  alpha@1.0.0: {{}}
"""
HASH = "sha512-" + base64.b64encode(hashlib.sha512(b"").digest()).decode()
MANIFEST = json.dumps({"dependencies": {"alpha": "^1"}})
OVERRIDES = "overrides:\n  alpha: 1.0.0\n"

STALE = """Error: ERR_PNPM_OUTDATED_LOCKFILE

  \u00d7 installing dependencies
  \u2570\u2500\u25b6 Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up
      to date with package.json.
"""
OTHER_SETTINGS = """Error: ERR_PNPM_LOCKFILE_CONFIG_MISMATCH

  \u2570\u2500\u25b6 Cannot proceed with the frozen installation. The current "overrides"
      configuration doesn't match the value found in the lockfile
"""
TARBALL = "https://registry.npmjs.org/alpha/-/alpha-1.0.0.tgz"
OTHER_HASH = """Error: ERR_PNPM_TARBALL_INTEGRITY

  \u2570\u2500\u25b6 Failed to verify the integrity of https://registry.npmjs.org/alpha/-/alpha-
      1.0.0.tgz: Integrity check failed.
"""
NO_VERSION = """\u2717 Lockfile failed supply-chain policy check (2 entries in 244ms)
Error: ERR_PNPM_MINIMUM_RELEASE_AGE_VIOLATION

  \u2570\u2500\u25b6 1 lockfile entries failed verification:
        alpha@1.0.0 could not be checked against minimumReleaseAge (version not
      present in registry manifest)
"""
TOO_NEW = """Error: ERR_PNPM_MINIMUM_RELEASE_AGE_VIOLATION

  \u2570\u2500\u25b6 1 lockfile entries failed verification:
        alpha@1.0.0 was published at 2026-11-27T10:00:00.000Z
"""
NO_PACKAGE = """Error: ERR_PNPM_META_FETCH_FAIL

  \u2570\u2500\u25b6 ERR_PNPM_RESOLVING_NPM_RESOLVER_NETWORK_ERROR: Failed to fetch metadata
      from https://registry.npmjs.org/alpha: HTTP status
      client error (404 Not Found)
"""
SCOPED = """Error: ERR_PNPM_FETCH_404

  \u251c\u2500\u25b6 Failed to resolve dependency tree: GET http://127.0.0.1:8765/
  \u2502   @acme%2Fwords: Not Found - 404
"""
REFUSED = " ERR_PNPM_FETCH_401  GET https://npm.corp.example/alpha: Unauthorized - 401\n"
UNREACHABLE = """Error: ERR_PNPM_META_FETCH_FAIL
  \u251c\u2500\u25b6 tcp connect error
  \u2570\u2500\u25b6 Connection
      refused (os error 111)
"""


class Scene:
    """A user with a pnpm on their PATH and a cache."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.own = {"HOME": str(place), "PATH": os.environ["PATH"]}
        self.cache = Cache(cache_folder(os.environ) / "provision-pnpm")

    def stand_in(self, body: str) -> None:
        """A pnpm that does what is written in shell."""
        program = self.place / "bin" / "pnpm"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        self.own["PATH"] = f"{program.parent}:{self.own['PATH']}"

    def installed(self, lock: str, settings: str = "", manifest: str = MANIFEST) -> list[tuple[str, str]]:
        texts = {"package.json": manifest, "pnpm-lock.yaml": lock}
        if settings:
            texts["pnpm-workspace.yaml"] = settings
        data = {name: text.encode() for name, text in texts.items()}
        files = CommitFiles(frozenset(data), data.get)
        with node_packages(files, Declared(), self.cache, Workshop(self.own, self.place / "out")) as part:
            assert part is not None
            return [(package.name, package.version) for package in part.packages]

    def failure(self, lock: str, settings: str = "") -> WorkorderError:
        with pytest.raises(WorkorderError) as caught:
            self.installed(lock, settings)
        return caught.value


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def a_lock(wanted: str = "^1", integrity: str = HASH, overrides: str = "") -> str:
    return LOCK.format(wanted=wanted, integrity=integrity, overrides=overrides)


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (STALE, "does not fit package.json, or the settings of pnpm: ERR_PNPM_OUT", ExitCode.REFUSED),
        (OTHER_SETTINGS, "does not fit package.json, or the settings of pnpm: ERR_PNPM_LO", ExitCode.REFUSED),
        (
            OTHER_HASH,
            f"a file of npm's registry has another hash than the lock says: {TARBALL}",
            ExitCode.ENVIRONMENT,
        ),
        (NO_VERSION, "the npm package alpha is not in the registry in the version", ExitCode.REFUSED),
        (TOO_NEW, "holds versions that are newer than pnpm takes", ExitCode.REFUSED),
        (NO_PACKAGE, "the npm package alpha is not in the registry in the version", ExitCode.REFUSED),
        (SCOPED, "the npm package @acme/words is not in the registry in the version", ExitCode.REFUSED),
        (
            REFUSED,
            "a registry of npm does not accept your credentials, or asks for some",
            ExitCode.ENVIRONMENT,
        ),
        (
            UNREACHABLE,
            "npm's registry does not answer, and these are not in the cache: alpha",
            ExitCode.ENVIRONMENT,
        ),
        ("Error: ERR_PNPM_OTHER\n", "pnpm failed: ERR_PNPM_OTHER", ExitCode.ENVIRONMENT),
    ],
)
def test_what_pnpm_says_is_told_as_what_it_means(
    scene: Scene, words: str, message: str, code: ExitCode
) -> None:
    scene.stand_in(f"cat <<'END'\n{words}END\nexit 1")

    error = scene.failure(a_lock())

    assert error.message.startswith(message)
    assert EXIT_CODES[error.fault] is code


def test_pnpm_gets_the_settings_of_its_lock_and_the_users_registry(scene: Scene) -> None:
    scene.stand_in(
        f'cat pnpm-workspace.yaml package.json; echo "$PNPM_CONFIG_REGISTRY"; cp -r . {scene.place}/given\n'
        "exit 1"
    )
    scene.own["NPM_CONFIG_REGISTRY"] = "http://127.0.0.1:9/"
    settings = f"{OVERRIDES}nodeLinker: hoisted\nregistry: http://evil.example/\npackages: ['.']\n"

    error = scene.failure(a_lock(overrides=OVERRIDES), settings)

    given = json.loads((scene.place / "given" / "pnpm-workspace.yaml").read_text())
    assert given == {"overrides": {"alpha": "1.0.0"}, "nodeLinker": "hoisted"}
    assert "http://127.0.0.1:9/" in error.message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("overrides: {alpha: 2020-01-01}\n", "holds what is no setting of pnpm"),
        ("overrides: {a: &a [1], b: *a}\n", "holds references, which are not read"),
        ("overrides: [\n", "is not valid YAML"),
        ("#" * 100_001, "has more than 100,000 characters"),
    ],
)
def test_settings_that_can_not_be_read_are_refused(scene: Scene, settings: str, message: str) -> None:
    error = scene.failure(a_lock(), settings)

    assert (error.where, error.message) == ("pnpm-workspace.yaml", message)
    assert EXIT_CODES[error.fault] is ExitCode.REFUSED


def test_a_lock_that_patches_packages_is_refused(scene: Scene) -> None:
    error = scene.failure(a_lock() + "patchedDependencies:\n  alpha@1.0.0: {hash: a, path: a.patch}\n")

    assert error.message == "patches packages, which is not supported"


def test_without_pnpm_it_is_said_how_to_install_it(scene: Scene) -> None:
    (scene.place / "bin").mkdir()
    (scene.place / "bin" / "node").symlink_to(shutil.which("node") or "")
    scene.own["PATH"] = str(scene.place / "bin")

    error = scene.failure(a_lock())

    assert error.message == "pnpm is not installed, or not on PATH"
    assert error.hint == "install it: npm install -g pnpm"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pnpm"), reason="pnpm is not installed")
def test_the_real_pnpm_installs_a_lock_with_overrides(scene: Scene) -> None:
    with a_registry() as served:
        served.add_npm("alpha", "1.0.0", {"index.js": "module.exports = 'alpha'"})
        integrity = json.loads(served.pages["/alpha"])["versions"]["1.0.0"]["dist"]["integrity"]
        scene.own |= {"NPM_CONFIG_REGISTRY": served.url, "PNPM_CONFIG_MINIMUM_RELEASE_AGE": "0"}
        lock = a_lock("1.0.0", integrity, OVERRIDES)
        packages = scene.installed(lock, OVERRIDES)
        stale = scene.failure(lock, "overrides: {alpha: 1.0.1}\n")

    assert packages == [("alpha", "1.0.0")]
    assert stale.message.startswith("does not fit package.json, or the settings of pnpm")
