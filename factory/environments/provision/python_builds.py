"""Builds wheels of packages that have none and may be built: inside the sandbox, without a network.

uv says which source distribution it is, and is told what the package needs, so it has no reason to build.
The archive is fetched by us and is what its hash says. What building it needs is installed as wheels alone.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from factory.contract.canonical import canonical_json, sha256_hex
from factory.contract.errors import MachineProblem
from factory.contract.packages.names import normalised_name, parse_requirement
from factory.contract.strict_json import JsonValue
from factory.environments.cache import Cache
from factory.environments.environment import Environment
from factory.environments.needs.declared import BadPackages, CommitFiles
from factory.environments.needs.python.pins import Pin
from factory.environments.needs.python.requirements_file import locked_pins, read_requirements
from factory.environments.provision.confined import Confined, confined_place
from factory.environments.provision.python_interpreter import INSTALL_UV, Chosen
from factory.environments.tools.download import fetch
from factory.environments.tools.registries import python_environment, uv_configuration
from factory.environments.tools.workshop import Printed, Workshop
from factory.system.files.tree import FileProblem, read_bounded

_FORMAT: Final = 1
_PROGRAM: Final = Path(__file__).with_name("wheel_program.py")
_LEGACY: Final = ("setuptools.build_meta:__legacy__", ("setuptools", "wheel"))
_BACKEND: Final = re.compile(r"[A-Za-z_][\w.]*(?::[A-Za-z_][\w.]*)?")
_ARCHIVE: Final = re.compile(r"[A-Za-z0-9._+-]+\.(?:tar\.gz|tgz|zip|tar\.bz2|tar\.xz)")
_MOST_WHEEL_BYTES: Final = 500_000_000


@dataclass(frozen=True)
class Source:
    """A source distribution.

    Attributes:
        name: the package's normalised name.
        version: its version.
        place: its URL or its path.
        digest: its SHA-256, in hex.
    """

    name: str
    version: str
    place: str
    digest: str


@dataclass(frozen=True)
class Built:
    """A wheel that was built here.

    Attributes:
        source: what it was built of.
        wheel: its file, in the cache.
        digest: the wheel's SHA-256, in hex.
    """

    source: Source
    wheel: Path
    digest: str


@dataclass(frozen=True)
class Builder:
    """Builds what may be built, for one interpreter.

    Attributes:
        allowed: the normalised names of the packages that may be built.
        chosen: the interpreter.
        cache: where wheels are kept.
        workshop: where tools run.
        install: provides an environment with wheels alone.
        problem: what uv's words mean.
    """

    allowed: Collection[str]
    chosen: Chosen
    cache: Cache
    workshop: Workshop
    install: Callable[[Sequence[Pin]], AbstractContextManager[Environment]]
    problem: Callable[[Printed, Sequence[str]], Exception]

    @contextmanager
    def built(self, name: str, lines: Sequence[str], hashes: Collection[str] = ()) -> Iterator[Built]:
        """Within the block there is a wheel of a package.

        Args:
            name: its normalised name.
            lines: the lines of requirements that say which version.
            hashes: those of a lock, of which the source must have one; none where it is yet to be locked.

        Raises:
            WorkorderError: there is no source, it has another hash, or it can't be built.
        """
        source = self._source(name, lines)
        if hashes and f"sha256:{source.digest}" not in hashes:
            raise MachineProblem(
                f"the source of {name} {source.version} has another hash than the lock says",
                hint="the index serves other files than were locked: find out why before you lock it anew",
            )
        known: list[JsonValue] = [
            _FORMAT,
            list(self.chosen.identity),
            source.name,
            source.version,
            source.digest,
        ]
        entry = f"wheel-{sha256_hex(canonical_json(known))[:24]}"
        with self.cache.entry(entry, lambda folder, _final: self._build(source, folder)) as folder:
            wheel = next(folder.glob("*.whl"))
            yield Built(source, wheel, hashlib.sha256(wheel.read_bytes()).hexdigest())

    def _source(self, name: str, lines: Sequence[str]) -> Source:
        with TemporaryDirectory(prefix="workorder-") as folder:
            place = Path(folder)
            (place / "requirements.in").write_text("".join(f"{line}\n" for line in lines))
            settings = self._settings(place, name)
            command = ["pip", "compile", *settings, "--no-deps", "--no-header", "--quiet"]
            command += ["--format", "pylock.toml", "--python", str(self.chosen.interpreter.executable)]
            command += ["--output-file", "pylock.toml", "requirements.in"]
            self._uv(f"python-source-{name}", command, place, [name])
            document = tomllib.loads((place / "pylock.toml").read_text())
        entry: Mapping[str, Any] = next(
            (e for e in document["packages"] if normalised_name(e["name"]) == name), {}
        )
        sdist: Mapping[str, Any] = entry.get("sdist", {})
        where, digest = sdist.get("url") or sdist.get("path"), sdist.get("hashes", {}).get("sha256", "")
        if not isinstance(where, str) or not re.fullmatch("[0-9a-f]{64}", digest):
            raise BadPackages(f"{name} has neither a wheel nor a source with a SHA-256 in the index")
        return Source(name, str(entry["version"]), where, digest)

    def _settings(self, place: Path, name: str) -> list[str]:
        """The user's settings, and what the package needs, so that uv does not build it to find out."""
        given = uv_configuration(self.workshop.own)
        text = Path(given[1]).read_text() if len(given) > 1 else ""
        settings = place / "uv.toml"
        settings.write_text(f'{text}\n[[dependency-metadata]]\nname = "{name}"\nrequires-dist = []\n')
        return ["--config-file", str(settings)]

    def _uv(self, name: str, command: Sequence[str], place: Path, names: Sequence[str]) -> None:
        uv = self.workshop.program("uv", INSTALL_UV)
        environment = python_environment(self.workshop.own)
        printed = self.workshop.run(name, (uv, *command), cwd=place, environment=environment)
        if not printed.is_done:
            raise self.problem(printed, names)

    def _build(self, source: Source, folder: Path) -> None:
        self.workshop.progress(f"building {source.name} {source.version} in the sandbox")
        archive = source.place.rpartition("/")[2].partition("?")[0].partition("#")[0]
        if not _ARCHIVE.fullmatch(archive):
            raise BadPackages(f"the source of {source.name} is no archive that is known: {archive[:100]}")
        with TemporaryDirectory(prefix="workorder-") as name:
            fetched = Path(name, archive)
            data = fetch(source.place, python_environment(self.workshop.own))
            if hashlib.sha256(data).hexdigest() != source.digest:
                raise MachineProblem(
                    f"the source of {source.name} {source.version} has another hash than the index says"
                )
            fetched.write_bytes(data)
            with confined_place(self.workshop, {archive: fetched, "program.py": _PROGRAM}) as place:
                self._build_in(place, source, archive, folder)

    def _build_in(self, place: Confined, source: Source, archive: str, folder: Path) -> None:
        python = self.chosen.interpreter.executable
        shown = () if self.chosen.is_own else (self.chosen.prefix,)
        told = f"python-build-{source.name}"
        unpacking = (python, "-I", "-S", "program.py", "unpack", archive, "source")
        self._require(place.run(told, unpacking, visible=shown), source)
        folders = sorted(path.name for path in place.left("source").iterdir() if path.is_dir())
        if not folders:
            raise BadPackages(f"the source of {source.name} holds no directory")
        sources = place.left("source", folders[0])
        backend, backend_path, requires = _build_system(place.left("source", folders[0], "pyproject.toml"))
        with self.install(self._requirements(requires, source)) as environment:
            command = (environment.python, "program.py", "build", f"source/{sources.name}", "wheels", backend)
            printed = place.run(
                told, (*command, *backend_path), programs=environment.programs, visible=environment.visible
            )
            self._require(printed, source)
        # What lies there is a stranger's: one file of that name, and no link.
        names = [path.name for path in place.left("wheels").glob("*.whl")]
        if len(names) != 1 or normalised_name(names[0].split("-")[0]) != source.name:
            raise BadPackages(f"building {source.name} left no wheel of it")
        wheel = place.left("wheels", names[0])
        (folder / wheel.name).write_bytes(read_bounded(wheel, max_bytes=_MOST_WHEEL_BYTES))

    def _requirements(self, requires: Sequence[str], source: Source) -> tuple[Pin, ...]:
        """What building needs, at versions with hashes, as wheels alone."""
        with TemporaryDirectory(prefix="workorder-") as folder:
            place = Path(folder)
            (place / "requirements.in").write_text("".join(f"{line}\n" for line in requires))
            command = ["pip", "compile", *uv_configuration(self.workshop.own), "--only-binary", ":all:"]
            command += ["--generate-hashes", "--no-header", "--no-annotate", "--quiet"]
            command += ["--python", str(self.chosen.interpreter.executable)]
            command += ["--output-file", "requirements.txt", "requirements.in"]
            self._uv(f"python-build-requires-{source.name}", command, place, requires)
            text = (place / "requirements.txt").read_bytes()
        files = CommitFiles(frozenset({"requirements.txt"}), {"requirements.txt": text}.get)
        return locked_pins(read_requirements("requirements.txt", files), self.chosen.markers) or ()

    def _require(self, printed: Printed, source: Source) -> None:
        if not printed.is_done:
            raise BadPackages(
                f"{source.name} {source.version} can't be built in the sandbox: {_last_words(printed)}",
                hint=f"see python-build-{source.name}.txt in the directory `environment` of OUT; there is no"
                " network, and programs such as compilers must be on the machine",
            )


def _last_words(printed: Printed) -> str:
    lines = [line for line in printed.text.splitlines() if line.strip()]
    return Printed(is_done=False, text="\n".join(lines[-3:])).brief(3)


def _build_system(manifest: Path) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """What builds a project: the backend, where it is found beside what is installed, what it needs."""
    try:
        text = read_bounded(manifest).decode()
        table = tomllib.loads(text).get("build-system", {})
        backend = table.get("build-backend", _LEGACY[0])
        requires = [str(parse_requirement(str(line))) for line in table.get("requires", _LEGACY[1])]
        places = [str(place) for place in table.get("backend-path", ())]
    except FileProblem:
        return _LEGACY[0], (), _LEGACY[1]
    except (ValueError, RecursionError, AttributeError, TypeError) as error:
        raise BadPackages(f"the pyproject.toml of {manifest.parent.name} can't be read: {error}") from error
    if not isinstance(backend, str) or not _BACKEND.fullmatch(backend):
        raise BadPackages(
            f"the pyproject.toml of {manifest.parent.name} names no backend: {json.dumps(backend)[:100]}"
        )
    return backend, tuple(places), tuple(requires)
