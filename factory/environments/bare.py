"""The environment of a project that declares nothing: Python as it came, and pytest with what that needs.

They are copied from where Workorder itself is installed, so no network is needed, and the interpreter is the
one that Workorder's own environment was made from. Nothing else of Workorder's gets in.
"""

import json
import platform
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from factory.contract.canonical import canonical_json, sha256_hex
from factory.contract.errors import MachineProblem
from factory.contract.strict_json import JsonValue
from factory.environments.cache import Cache
from factory.environments.environment import Environment, Package
from factory.environments.interpreter import INTERPRETER, write_virtual_environment
from factory.system.files.tree import FileProblem, read_bounded, write_atomic

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_RUNNER: Final = "pytest"
_FORMAT: Final = 1
"""Counted up when an entry of the same contents is made in another way."""

# What says how a distribution came to be installed where it is.
_OF_THE_INSTALLATION: Final = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
_HINT: Final = "install Workorder into a virtual environment of its own, with pip, uv or pipx"


@dataclass(frozen=True)
class _Bare:
    """What the bare environment is to hold.

    Attributes:
        hash: its hash.
        packages: its packages.
    """

    hash: str
    packages: tuple[Package, ...]


@contextmanager
def bare_environment(cache: Cache) -> Iterator[Environment]:
    """Within the block there is the bare environment, made if it is not kept yet.

    Args:
        cache: where environments are kept.

    Raises:
        MachineProblem: it can't be kept there, or pytest is not installed in a way that it can be copied.
    """
    bare = _known(cache) or _look_up(cache)
    # The same contents for an interpreter in another place are another directory.
    place = sha256_hex(canonical_json([_FORMAT, str(INTERPRETER.executable)]))
    with cache.entry(f"python-{bare.hash[:24]}-{place[:8]}", _make) as folder:
        yield Environment(
            hash=bare.hash,
            python=folder / "bin" / "python",
            programs=(folder / "bin",),
            interpreters=(INTERPRETER.description,),
            visible=(folder,),
            packages=bare.packages,
        )


def _make(folder: Path, final: Path) -> None:
    site = write_virtual_environment(folder, INTERPRETER)
    distributions = _distributions()
    runner = distributions[_RUNNER]
    for distribution in distributions.values():
        for name, source, digest in _files(distribution):
            _copy(source, site / name, digest, distribution)
    if not (site / _RUNNER / "__init__.py").is_file():
        raise MachineProblem(
            f"the installed {_RUNNER} is not complete: its files are elsewhere",
            where=sys.prefix,
            hint=_HINT,
        )
    for command in runner.entry_points.select(group="console_scripts"):
        path = folder / "bin" / command.name
        path.write_text(_script(final / "bin" / "python", command.module, command.attr))
        path.chmod(0o755)
    _compile(site)


def _copy(source: Path, target: Path, digest: str, distribution: "Distribution") -> None:
    """Copy a file with its time, and its bytecode, which is good for a source of that time."""
    data = source.read_bytes()
    if digest and sha256(data).digest() != _decoded(digest):
        raise MachineProblem(
            f"a file of {distribution.name} {distribution.version} is not as it was installed",
            where=str(source),
            hint=f"run `{sys.executable} -m pip install --force-reinstall {distribution.name}`",
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    shutil.copystat(source, target)
    if source.suffix == ".py":
        # None was written where a file is only installed and never imported.
        with suppress(FileNotFoundError):
            compiled = Path("__pycache__", f"{source.stem}.{sys.implementation.cache_tag}.pyc")
            (target.parent / "__pycache__").mkdir(exist_ok=True)
            shutil.copyfile(source.parent / compiled, target.parent / compiled)


def _decoded(digest: str) -> bytes:
    from base64 import urlsafe_b64decode

    return urlsafe_b64decode(digest + "=" * (-len(digest) % 4))


def _compile(site: Path) -> None:
    """Write the bytecode that is missing or out of date: commands can't, and would compile it each time."""
    import compileall

    # It prints what a file's version of Python does not know, such as templates: that is no error here.
    compileall.compile_dir(site, quiet=2, legacy=False, maxlevels=100)


def _script(python: Path, module: str, function: str) -> str:
    """A console command as installers write it, also where the interpreter's path is no first line."""
    first = f"#!{python}"
    if len(first) > 120 or " " in first:
        first = f"#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''"
    return f"{first}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n"


def _distributions() -> dict[str, "Distribution"]:
    """Those of the runner and of all that it needs here, by their normalised names, in order.

    Raises:
        MachineProblem: one is not installed.
    """
    from importlib.metadata import PackageNotFoundError, distribution

    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    waiting, found = [_RUNNER], dict[str, "Distribution"]()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError as error:
            raise MachineProblem(
                f"{name} is not installed beside Workorder", where=sys.prefix, hint=_HINT
            ) from error
        for requirement in map(Requirement, found[name].requires or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(canonicalize_name(requirement.name))
    return dict(sorted(found.items()))


def _files(distribution: "Distribution") -> Iterator[tuple[str, Path, str]]:
    """The files that a distribution brought along: name, place, and the digest that the record has of it.

    Raises:
        MachineProblem: the distribution has no record of its files.
    """
    record = _record(distribution)
    if not record.is_file():
        raise MachineProblem(
            f"{distribution.name} {distribution.version} was installed without a record of its files",
            where=str(record),
            hint=_HINT,
        )
    for file in distribution.files or ():
        own = ".." in file.parts or file.is_absolute() or file.suffix == ".pyc"
        if own or (file.parent.name.endswith(".dist-info") and file.name in _OF_THE_INSTALLATION):
            continue
        digest = file.hash.value if file.hash is not None and file.hash.mode == "sha256" else ""
        yield file.as_posix(), Path(str(file.locate())), digest


def _record(distribution: "Distribution") -> Path:
    # The only way to ask where a distribution's own files are.
    return Path(str(getattr(distribution, "_path", ""))) / "RECORD"


def _look_up(cache: Cache) -> _Bare:
    """What is installed, which takes the reading of some files; remembered until one of them changes."""
    distributions = _distributions()
    packages = tuple(Package("python", name, found.version) for name, found in distributions.items())
    contents: JsonValue = {
        name: {"version": found.version, "files": {file: digest for file, _, digest in _files(found)}}
        for name, found in distributions.items()
    }
    bare = _Bare(sha256_hex(canonical_json([*_identity(), contents])), packages)
    memory = {
        "hash": bare.hash,
        "packages": [[package.name, package.version] for package in packages],
        "records": {str(record): _stamp(record) for record in map(_record, distributions.values())},
    }
    # Where nothing can be written, that is told when the environment is to be made.
    with suppress(FileProblem, OSError):
        write_atomic(_memory(cache), json.dumps(memory).encode())
    return bare


def _known(cache: Cache) -> _Bare | None:
    """What was looked up before, if nothing was installed since."""
    try:
        memory = json.loads(read_bounded(_memory(cache)))
        if any(_stamp(Path(path)) != stamp for path, stamp in memory["records"].items()):
            return None
        packages = tuple(Package("python", name, version) for name, version in memory["packages"])
        return _Bare(str(memory["hash"]), packages)
    except (FileProblem, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _memory(cache: Cache) -> Path:
    place = sha256_hex(canonical_json([*_identity(), sys.prefix]))
    return cache.folder / f"bare-{place[:24]}.json"


def _identity() -> list[str]:
    return [platform.python_implementation(), sys.version, sysconfig.get_platform()]


def _stamp(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]
