"""Modules of Go and crates of Rust from registries on loopback, by the real `go` and cargo."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.contract.errors import WorkorderError
from factory.environments.cache import Cache, cache_folder
from factory.environments.needs.declared import CommitFiles
from factory.environments.provision.go import go_locks, go_modules
from factory.environments.provision.part import Part
from factory.environments.provision.rust import rust_crates, rust_locks
from factory.environments.tools.workshop import Workshop
from tests.support.registries import Registry, a_registry
from tests.support.toolchains import needs_cargo, needs_go, needs_sparse_registries

pytestmark = pytest.mark.slow

GO = {"go.mod": "module example.com/shop\n\ngo 1.19\n\nrequire example.com/alpha v1.0.0\n"}
GO_PROGRAM = 'package main\n\nimport "example.com/alpha"\n\nfunc main() { println(alpha.Name()) }\n'
RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
    '[dependencies]\nalpha = "1"\n',
    "src/main.rs": 'fn main() { println!("{}", alpha::name()) }\n',
}
_LOCKED_ALONE = '[[package]]\nname = "shop"\nversion = "0.1.0"\n'
_HOME = os.environ.get("HOME", "")


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    with a_registry() as served:
        source = 'package alpha\n\nfunc Name() string { return "alpha" }\n'
        served.add_go("example.com/alpha", "v1.0.0", {"alpha.go": source})
        beta = {"Cargo.toml": _manifest("beta"), "src/lib.rs": 'pub fn name() -> &\'static str { "beta" }\n'}
        alpha = {
            "Cargo.toml": _manifest("alpha") + '[dependencies]\nbeta = "1"\n',
            "src/lib.rs": "pub fn name() -> &'static str { beta::name() }\n",
            "build.rs": "fn main() { panic!() }\n",
        }
        served.add_crate("alpha", "1.0.0", alpha, beta="^1")
        served.add_crate("beta", "1.0.0", beta)
        yield served


@pytest.fixture
def scene(registry: Registry, tmp_path: Path) -> "Scene":
    return Scene(registry, tmp_path)


class Scene:
    """A user with registries and a cache."""

    def __init__(self, registry: Registry, place: Path) -> None:
        self.place = place
        self.own = {
            "HOME": str(place / "home"),
            "PATH": os.environ["PATH"],
            "GOPROXY": registry.url,
            "GOSUMDB": "off",
            # Where rustup keeps its toolchains, if that is how Rust came here.
            "RUSTUP_HOME": f"{_HOME}/.rustup",
        }
        if not Path(self.own["RUSTUP_HOME"]).is_dir():
            del self.own["RUSTUP_HOME"]
        self.crates(registry.url)
        self.cache = Cache(cache_folder(os.environ) / "provision-more")

    def crates(self, url: str) -> None:
        cargo = self.place / "home" / ".cargo"
        cargo.mkdir(parents=True, exist_ok=True)
        (cargo / "config.toml").write_text(
            f'[source.crates-io]\nreplace-with = "local"\n[source.local]\nregistry = "sparse+{url}/index/"\n'
            "[net]\nretry = 0\n"
        )

    @property
    def workshop(self) -> Workshop:
        return Workshop(self.own, self.place / "out")

    def go(self, texts: Mapping[str, str]) -> tuple[dict[str, str], Part | None]:
        locks = go_locks(commit(texts), self.workshop)
        locked = {**texts, **{str(path): data.decode() for path, data in locks.items()}}
        with go_modules(commit(locked), self.cache, self.workshop) as part:
            return locked, part

    def rust(self, texts: Mapping[str, str]) -> tuple[dict[str, str], Part | None]:
        locks = rust_locks(commit(texts), self.workshop)
        locked = {**texts, **{str(path): data.decode() for path, data in locks.items()}}
        with rust_crates(commit(locked), self.cache, self.workshop) as part:
            return locked, part

    def output(self, texts: Mapping[str, str], part: Part, *words: str) -> str:
        checkout = self.place / "checkout"
        for name, text in texts.items():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_text(text)
        path = ":".join([*map(str, part.programs), self.own["PATH"]])
        variables = {"PATH": path, "HOME": str(checkout), **part.variables}
        done = subprocess.run(words, cwd=checkout, env=variables, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr


def commit(texts: Mapping[str, str]) -> CommitFiles:
    data = {name: text.encode() for name, text in texts.items()}
    return CommitFiles(frozenset(data), data.get)


def failing(call: object, *arguments: object) -> WorkorderError:
    with pytest.raises(WorkorderError) as caught:
        call(*arguments)  # type: ignore[operator]
    return caught.value


def _manifest(name: str) -> str:
    return f'[package]\nname = "{name}"\nversion = "1.0.0"\nedition = "2021"\nbuild = false\n'


@needs_go
def test_modules_of_go_are_locked_downloaded_and_found_without_a_network(scene: Scene) -> None:
    locked, part = scene.go(GO)

    assert "example.com/alpha v1.0.0 h1:" in locked["go.sum"]
    assert part is not None
    assert [(package.name, package.is_direct) for package in part.packages] == [("example.com/alpha", True)]
    assert scene.output({**locked, "main.go": GO_PROGRAM}, part, "go", "run", ".") == "alpha\n"
    scene.own["GOPROXY"] = "http://127.0.0.1:9"
    assert scene.go(locked) == (locked, part)


@needs_go
def test_what_a_proxy_of_go_does_not_have_or_has_otherwise_is_named(scene: Scene) -> None:
    missing = failing(scene.go, {"go.mod": GO["go.mod"].replace("alpha", "nowhere")})
    locked, _ = scene.go(GO)
    line = next(line for line in locked["go.sum"].splitlines() if " v1.0.0 h1:" in line)
    forged = locked["go.sum"].replace(line, line.split("h1:")[0] + "h1:" + "A" * 43 + "=")
    changed = failing(scene.go, {**GO, "go.sum": forged})

    assert "example.com/nowhere@v1.0.0 is not on the proxy" in missing.message
    assert EXIT_CODES[missing.fault] is ExitCode.REFUSED
    assert changed.message == "the module example.com/alpha@v1.0.0 has another hash than go.sum says"
    assert EXIT_CODES[changed.fault] is ExitCode.ENVIRONMENT


@needs_go
def test_a_proxy_of_go_that_does_not_answer_is_the_machines(scene: Scene) -> None:
    scene.own["GOPROXY"] = "http://127.0.0.1:9"
    error = failing(scene.go, {"go.mod": GO["go.mod"] + "\n// other\n"})

    assert "does not answer, and these are not in the cache: example.com/alpha@v1.0.0" in error.message
    assert EXIT_CODES[error.fault] is ExitCode.ENVIRONMENT


@needs_sparse_registries
def test_crates_of_rust_are_locked_downloaded_and_found_without_a_network(scene: Scene) -> None:
    locked, part = scene.rust(RUST)

    assert 'name = "beta"' in locked["Cargo.lock"]
    assert part is not None
    assert [(package.name, package.is_direct) for package in part.packages] == [
        ("alpha", True),
        ("beta", False),
    ]
    assert scene.output(locked, part, "cargo", "run", "--offline", "--quiet") == "beta\n"
    scene.crates("http://127.0.0.1:9")
    assert scene.rust(locked) == (locked, part)


@needs_sparse_registries
def test_what_a_registry_of_rust_does_not_have_or_has_otherwise_is_named(scene: Scene) -> None:
    missing = failing(scene.rust, {**RUST, "Cargo.toml": RUST["Cargo.toml"].replace("alpha", "nowhere")})
    locked, _ = scene.rust(RUST)
    at = locked["Cargo.lock"].index('checksum = "') + len('checksum = "')
    forged = locked["Cargo.lock"][:at] + "0" * 64 + locked["Cargo.lock"][at + 64 :]
    changed = failing(scene.rust, {**RUST, "Cargo.lock": forged})
    newer = failing(
        scene.rust, {**locked, "Cargo.toml": RUST["Cargo.toml"].replace('alpha = "1"', 'alpha = "2"')}
    )

    empty = failing(scene.rust, {**RUST, "Cargo.lock": f"version = 3\n\n{_LOCKED_ALONE}"})

    assert missing.message == "the crate nowhere is not in the registry in a version that is asked for"
    assert "alpha v1.0.0 has another hash than Cargo.lock says" in changed.message
    assert EXIT_CODES[changed.fault] is ExitCode.ENVIRONMENT
    assert newer.headline.startswith("Cargo.lock: does not fit Cargo.toml")
    assert empty.headline.startswith("Cargo.lock: does not fit Cargo.toml")


@needs_sparse_registries
def test_a_registry_of_rust_that_does_not_answer_is_the_machines(scene: Scene) -> None:
    locked, _ = scene.rust(RUST)
    scene.crates("http://127.0.0.1:9")
    error = failing(scene.rust, {**locked, "src/lib.rs": "", "Cargo.toml": RUST["Cargo.toml"] + "# other\n"})

    assert "does not answer, and these are not in the cache: alpha 1.0.0, beta 1.0.0" in error.message
    assert EXIT_CODES[error.fault] is ExitCode.ENVIRONMENT


@needs_go
def test_a_proxy_of_go_that_wants_credentials_is_the_machines(scene: Scene) -> None:
    with a_registry() as private:
        private.accepts = frozenset({"Basic c29tZW9uZTpodW50ZXIy"})
        scene.own["GOPROXY"] = private.url
        error = failing(scene.go, GO)

    assert error.message.startswith(f"a proxy of Go modules {private.url}/example.com/alpha/")
    assert "does not accept your credentials, or asks for some" in error.message
    assert EXIT_CODES[error.fault] is ExitCode.ENVIRONMENT


@needs_sparse_registries
def test_a_token_that_cargo_login_has_kept_is_used_and_kept_nowhere_else(scene: Scene) -> None:
    with a_registry() as private:
        private.add_crate("alpha", "1.0.0", {"Cargo.toml": _manifest("alpha"), "src/lib.rs": ""})
        config = json.loads(private.pages["/index/config.json"])
        private.pages["/index/config.json"] = json.dumps({**config, "auth-required": True}).encode()
        private.accepts = frozenset({"token-of-the-registry"})
        cargo = scene.place / "home" / ".cargo"
        (cargo / "config.toml").write_text(
            f'[registries.corp]\nindex = "sparse+{private.url}/index/"\n'
            '[source.crates-io]\nreplace-with = "corp"\n'
            '[registry]\nglobal-credential-providers = ["cargo:token"]\n'
        )
        refused = failing(scene.rust, RUST)
        (cargo / "credentials.toml").write_text('[registries.corp]\ntoken = "token-of-the-registry"\n')
        locked, part = scene.rust(RUST)

    assert refused.message.startswith("a registry of crates does not accept your credentials, or asks for")
    assert 'name = "alpha"' in locked["Cargo.lock"]
    assert part is not None
    kept = [*scene.cache.folder.rglob("*"), *(scene.place / "out").rglob("*")]
    assert not [path for path in kept if path.is_file() and b"token-of-the" in path.read_bytes()]


@needs_cargo
def test_what_cargo_prints_is_kept_by_what_it_did(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "crates").mkdir()
    cargo = scene.place / "home" / ".cargo"
    (cargo / "credentials.toml").write_text("")
    (cargo / "config.toml").write_text(
        f'[source.crates-io]\nreplace-with = "none"\n[source.none]\ndirectory = "{tmp_path / "crates"}"\n'
    )

    failing(scene.rust, RUST)

    assert "alpha" in (scene.place / "out" / "rust-lock.txt").read_text()
