"""Locks and downloads the modules of Go, from a proxy; `go` runs no code of a module for that."""

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
from factory.environments.needs.go import LOCK, MANIFEST, GoNeeds, go_needs
from factory.environments.provision.part import Part
from factory.environments.tools.registries import go_environment
from factory.environments.tools.versions import said_by
from factory.environments.tools.workshop import Printed, Workshop
from factory.system.terminal.console import listed

_FORMAT: Final = 1
_INSTALL_GO: Final = "install Go, such as `apt install golang-go`"
_PUBLIC: Final = "https://proxy.golang.org"
_MISSING: Final = re.compile(
    r"go: (?:module )?(\S+?@\S+?):? .*(?:404|410|not found|unknown revision|no matching)"
)
_OTHER_HASH: Final = re.compile(r"(?:verifying )?(\S+@\S+): checksum mismatch")


def go_locks(files: CommitFiles, workshop: Workshop) -> Mapping[RepoPath, bytes]:
    """The `go.sum` that a commit lacks.

    Args:
        files: the commit's files.
        workshop: where `go` runs.

    Raises:
        WorkorderError: the lock of the commit does not fit, or none can be made.
    """
    needs = go_needs(files)
    if needs is None or not needs.is_open:
        return {}
    workshop.progress("locking the modules of Go")
    with TemporaryDirectory(prefix="workorder-") as folder:
        place = Path(folder) / "project"
        printed = _download("go-lock", needs, place, Path(folder) / "mod", workshop, "all")
        if not printed.is_done:
            raise _problem(printed, needs)
        return {RepoPath.parse(LOCK): (place / LOCK).read_bytes()}


@contextmanager
def go_modules(files: CommitFiles, cache: Cache, workshop: Workshop) -> Iterator[Part | None]:
    """Within the block there are the modules of a commit; None if it is no Go module.

    Args:
        files: the commit's files.
        cache: where environments are kept.
        workshop: where `go` runs.

    Raises:
        WorkorderError: the modules are not locked, have another hash, or no proxy answers.
    """
    needs = go_needs(files)
    if needs is None or (not needs.packages and not workshop.has("go")):
        yield None
        return
    if needs.is_open:
        raise not_locked("the modules of Go", LOCK)
    go = workshop.program("go", _INSTALL_GO)
    version = said_by(go, cache.folder, workshop, "env", "GOVERSION").removeprefix("go")
    root = Path(said_by(go, cache.folder, workshop, "env", "GOROOT"))
    contents = sha256_hex(canonical_json([_FORMAT, version, dict(needs.texts)]))
    # Nothing is fetched by a command, and no other toolchain either.
    variables = {"GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GONOSUMDB": "", "GOENV": "off"}
    part = Part(
        hash=contents,
        interpreters=(f"go {version}",),
        variables=variables,
        visible=(root,) if root.is_absolute() and root.is_dir() else (),
        packages=needs.packages,
    )
    if not needs.packages or needs.is_vendored:
        yield part
        return

    def make(folder: Path, _final: Path) -> None:
        workshop.progress(f"downloading {len(needs.packages)} modules of Go")
        with TemporaryDirectory(prefix="workorder-") as temporary:
            place = Path(temporary) / "project"
            printed = _download("go-download", needs, place, folder / "mod", workshop)
            if not printed.is_done:
                raise _problem(printed, needs)
            if (place / LOCK).read_text() != needs.texts[LOCK]:
                raise BadPackages(
                    f"does not fit {MANIFEST}: it lacks hashes",
                    where=LOCK,
                    hint="run `go mod tidy`, and commit both files",
                )

    with cache.entry(f"go-{contents[:24]}", make) as folder:
        yield Part(
            hash=part.hash,
            interpreters=part.interpreters,
            variables={**variables, "GOMODCACHE": str(folder / "mod")},
            visible=(folder, *part.visible),
            packages=part.packages,
        )


def _download(
    name: str, needs: GoNeeds, place: Path, modules: Path, workshop: Workshop, *what: str
) -> Printed:
    go = workshop.program("go", _INSTALL_GO)
    for path, text in needs.texts.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    environment = go_environment(workshop.own)
    # The public proxy alone: what it does not have would be fetched by git from wherever its name leads.
    if "GOPROXY" not in environment:
        asked = workshop.run("go-proxy", (go, "env", "GOPROXY"), cwd=place, environment=environment)
        environment["GOPROXY"] = asked.text.strip() or _PUBLIC
    if environment["GOPROXY"] == f"{_PUBLIC},direct":
        environment["GOPROXY"] = _PUBLIC
    environment |= {
        "GOMODCACHE": str(modules),
        "GOCACHE": str(place.parent / "cache"),
        "GOPATH": str(place.parent / "path"),
        "GOFLAGS": "-modcacherw -mod=mod",
        "GOWORK": "off",
    }
    return workshop.run(name, (go, "mod", "download", *what), cwd=place, environment=environment)


def _problem(printed: Printed, needs: GoNeeds) -> WorkorderError:
    """What the words of `go` mean."""
    text = printed.text
    other = _OTHER_HASH.search(text)
    if other is not None:
        return MachineProblem(
            f"the module {other[1]} has another hash than {LOCK} says",
            hint="the proxy serves other files than were locked: find out why before you lock it anew",
        )
    names = [f"{package.name}@{package.version}" for package in needs.packages]
    refused = printed.refusal(
        "a proxy of Go modules",
        names,
        "correct them in ~/.netrc, or in GOPROXY; Go sends them by https alone",
    )
    if refused is not None:
        return refused
    missing = _MISSING.search(text)
    if missing is not None:
        return BadPackages(
            f"the module {missing[1]} is not on the proxy",
            where=MANIFEST,
            hint="correct its name or version, or set GOPROXY to the proxy that has it",
        )
    if printed.is_unreachable:
        return MachineProblem(
            f"the proxy of Go modules does not answer, and these are not in the cache: {listed(names)}"
            f" ({printed.brief(2)})",
            hint="connect to the network once, or set GOPROXY",
        )
    return MachineProblem(
        f"go failed: {printed.brief()}", hint="what it printed is in the directory `environment` of OUT"
    )
