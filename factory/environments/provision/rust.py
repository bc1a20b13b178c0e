"""Locks and downloads crates with cargo, from crates.io or what the user puts in its place; builds none."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from factory.contract.canonical import canonical_json, sha256_hex
from factory.contract.errors import MachineProblem, WorkorderError
from factory.contract.repo_path import RepoPath
from factory.environments.cache import Cache
from factory.environments.needs.declared import BadPackages, CommitFiles, not_locked
from factory.environments.needs.rust import LOCK, MANIFEST, RustNeeds, rust_needs
from factory.environments.provision.part import Part
from factory.environments.tools.registries import rust_environment
from factory.environments.tools.versions import said_by
from factory.environments.tools.workshop import Printed, Workshop
from factory.system.terminal.console import listed

_FORMAT: Final = 1
_INSTALL_RUST: Final = "install Rust, such as `apt install cargo`"
_STALE: Final = re.compile(
    r"--locked was passed|cannot (?:update|create) the lock file"
    r"|failed to select a version|no matching package"
)
_MISSING: Final = re.compile(
    r"no matching package (?:named )?`?([A-Za-z0-9_-]+)`? found|searched package name: `([^`]+)`"
)
_NO_VERSION: Final = re.compile(r"failed to select a version for the requirement `([^`]+)`")
_OTHER_HASH: Final = re.compile(r"failed to verify the checksum of `([^`]+)`|checksum for `([^`]+)` changed")


def rust_locks(files: CommitFiles, workshop: Workshop) -> Mapping[RepoPath, bytes]:
    """The `Cargo.lock` that a commit lacks.

    Args:
        files: the commit's files.
        workshop: where cargo runs.

    Raises:
        WorkorderError: none can be made.
    """
    needs = rust_needs(files)
    if needs is None or not needs.is_open:
        return {}
    workshop.progress("locking the crates of Rust")
    with TemporaryDirectory(prefix="workorder-") as folder:
        place = Path(folder) / "project"
        printed = _cargo("rust-lock", needs, place, workshop, "generate-lockfile")
        if not printed.is_done:
            raise _problem(printed, needs)
        return {RepoPath.parse(LOCK): (place / LOCK).read_bytes()}


@contextmanager
def rust_crates(files: CommitFiles, cache: Cache, workshop: Workshop) -> Iterator[Part | None]:
    """Within the block there are the crates of a commit; None if it is no Rust package.

    Args:
        files: the commit's files.
        cache: where environments are kept.
        workshop: where cargo runs.

    Raises:
        WorkorderError: the crates are not locked, have another hash, or no registry answers.
    """
    needs = rust_needs(files)
    if needs is None or (not needs.packages and not workshop.has("rustc")):
        yield None
        return
    if needs.is_open:
        raise not_locked("the crates of Rust", LOCK)
    rustc = workshop.program("rustc", _INSTALL_RUST)
    # A command has another home, where the programs of rustup would find no toolchain.
    root = Path(said_by(rustc, cache.folder, workshop, "--print", "sysroot", remember=False))
    version = said_by(root / "bin" / "rustc", cache.folder, workshop, "--version").split()[1]
    contents = sha256_hex(canonical_json([_FORMAT, version, dict(needs.texts)]))

    def make(folder: Path, final: Path) -> None:
        (folder / "cargo").mkdir()
        configuration = "[net]\noffline = true\n"
        # Also where the lock holds no crate: which manifests count, and whether it fits them, cargo knows.
        if needs.packages or needs.wants:
            workshop.progress(f"downloading {len(needs.packages)} crates of Rust")
            with TemporaryDirectory(prefix="workorder-") as temporary:
                place = Path(temporary) / "project"
                vendor = (
                    "vendor",
                    "--respect-source-config",
                    "--locked",
                    "--versioned-dirs",
                    "--quiet",
                    str(folder / "vendor"),
                )
                printed = _cargo("rust-download", needs, place, workshop, *vendor)
                if not printed.is_done:
                    raise _problem(printed, needs)
        if (folder / "vendor").is_dir():
            configuration += (
                '[source.crates-io]\nreplace-with = "kept"\n'
                f'[source.kept]\ndirectory = "{final / "vendor"}"\n'
            )
        (folder / "cargo" / "config.toml").write_text(configuration)

    with cache.entry(f"rust-{contents[:24]}", make) as folder:
        yield Part(
            hash=contents,
            programs=(root / "bin",),
            interpreters=(f"rust {version}",),
            variables={"CARGO_HOME": str(folder / "cargo"), "CARGO_NET_OFFLINE": "true"},
            visible=(folder, root),
            packages=needs.packages,
        )


def _cargo(name: str, needs: RustNeeds, place: Path, workshop: Workshop, *what: str) -> Printed:
    cargo = workshop.program("cargo", _INSTALL_RUST)
    for path in needs.sources:
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).touch()
    for path, text in needs.texts.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    if not needs.sources:
        # Without a source cargo takes the directory for no package.
        (place / "src").mkdir(exist_ok=True)
        (place / "src" / "lib.rs").touch()
    environment = rust_environment(workshop.own)
    environment["CARGO_HOME"] = str(place.parent / "home")
    own_home = Path(workshop.own.get("CARGO_HOME") or f"{workshop.own.get('HOME', '/nonexistent')}/.cargo")
    own = next((file for file in (own_home / "config.toml", own_home / "config") if file.is_file()), None)
    options = ("--config", str(own)) if own is not None else ()
    for tokens in (own_home / "credentials.toml", own_home / "credentials"):
        if tokens.is_file():
            # A link: what it holds is nowhere else. cargo takes tokens from no other place of its home.
            (place.parent / "home").mkdir(exist_ok=True)
            (place.parent / "home" / tokens.name).symlink_to(tokens)
    return workshop.run(name, (cargo, *options, *what), cwd=place, environment=environment)


def _problem(printed: Printed, needs: RustNeeds) -> WorkorderError:
    """What the words of cargo mean."""
    text = printed.text
    if needs.is_locked and _STALE.search(text):
        return BadPackages(
            f"does not fit {MANIFEST}: {printed.brief(2)}",
            where=LOCK,
            hint="run `cargo generate-lockfile`, and commit the lock",
        )
    other = _OTHER_HASH.search(text)
    if other is not None:
        return MachineProblem(
            f"the crate {other[1] or other[2]} has another hash than {LOCK} says",
            hint="the registry serves other files than were locked: find out why before you lock it anew",
        )
    names = [f"{package.name} {package.version}" for package in needs.packages] or ["those to be locked"]
    refused = printed.refusal("a registry of crates", names, "correct them by `cargo login`")
    if refused is not None:
        return refused
    missing = _MISSING.search(text) or _NO_VERSION.search(text)
    if missing is not None:
        name = next(group for group in missing.groups() if group)
        return BadPackages(
            f"the crate {name} is not in the registry in a version that is asked for",
            where=MANIFEST,
            hint="correct its name or version",
        )
    if printed.is_unreachable or "failed to download" in text:
        return MachineProblem(
            "the registry of Rust's crates does not answer, and these are not in the cache:"
            f" {listed(names)} ({printed.brief(3)})",
            hint="connect to the network once, or configure another registry in ~/.cargo/config.toml",
        )
    return MachineProblem(
        f"cargo failed: {printed.brief()}", hint="what it printed is in the directory `environment` of OUT"
    )
