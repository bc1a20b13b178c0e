"""Locks and installs Python packages with uv: from an index, by their hashes, as wheels alone."""

import re
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from factory.configuration.document import OWN_FILE
from factory.contract.canonical import canonical_json, sha256_hex
from factory.contract.errors import MachineProblem, WorkorderError
from factory.contract.packages.names import normalised_name, parse_requirement
from factory.environments.cache import Cache
from factory.environments.environment import Environment, Package
from factory.environments.interpreter import write_virtual_environment
from factory.environments.needs.declared import Declared
from factory.environments.needs.python.needs import (
    OWN_LOCK,
    PythonLock,
    PythonNeeds,
    constraints_input,
    lock_input,
    own_lock,
)
from factory.environments.needs.python.pins import Pin
from factory.environments.provision.python_builds import Builder, Built
from factory.environments.provision.python_interpreter import INSTALL_UV, Chosen
from factory.environments.tools.registries import python_environment, uv_configuration
from factory.environments.tools.workshop import Printed, Workshop
from factory.system.terminal.console import listed

_FORMAT: Final = 1
"""Counted up when an entry of the same contents is made in another way."""

_WHEELS: Final = ("--only-binary", ":all:")
_LOCK_OPTIONS: Final = (
    *("--generate-hashes", "--no-header", "--no-annotate", "--quiet"),
    *("--constraint", "constraints.txt", "--output-file", OWN_LOCK),
)
_MISSING: Final = re.compile(r"([A-Za-z0-9._-]+) was not found in the package registry")
_NO_VERSION: Final = re.compile(
    r"Because (?:there is no version of|only) ([A-Za-z0-9._-]+?)(?:[<>=!~]\S*)?(?: is available)? and you"
    r" require (\S+), we can conclude"
)
_OTHER_HASH: Final = re.compile(r"Hash mismatch for `([^`\s]+)`")
_TO_BUILD: Final = re.compile(
    r"(?:Because |Wheels are required for `)([A-Za-z0-9._-]+)(?:==\S+)?(?: has no usable|`)"
)
_CAUSE: Final = re.compile(r"cause: (.*?)(?:\n\n|\Z)", re.DOTALL)


def lock_python(
    needs: PythonNeeds,
    known: PythonLock,
    before: str | None,
    chosen: Chosen,
    declared: Declared,
    cache: Cache,
    workshop: Workshop,
) -> bytes:
    """The lock of all that is asked for, as it is committed.

    Args:
        needs: what is asked for.
        known: what the repository's own lock pins: that stays.
        before: the text of our earlier lock, whose versions are kept where they fit; None if there is none.
        chosen: the interpreter that it is for.
        declared: who declared what, for errors, and what may be built.
        cache: where wheels are kept that were built.
        workshop: where uv runs.

    Raises:
        WorkorderError: a package can't be had, they don't fit together, or no index answers.
    """
    uv = workshop.program("uv", INSTALL_UV)
    workshop.progress("locking the Python packages")
    with TemporaryDirectory(prefix="workorder-") as folder:
        place = Path(folder)
        (place / "requirements.in").write_text(lock_input(needs, known.pins))
        (place / "constraints.txt").write_text(constraints_input(needs))
        if before is not None:
            (place / OWN_LOCK).write_text(before)
        command: list[str | Path] = [
            uv,
            "pip",
            "compile",
            *uv_configuration(workshop.own),
            *_WHEELS,
            *_LOCK_OPTIONS,
        ]
        command += ["--python", chosen.interpreter.executable, "requirements.in"]
        run = partial(workshop.run, "python-lock", cwd=place, environment=python_environment(workshop.own))
        wanted = lock_input(needs, known.pins).splitlines() + constraints_input(needs).splitlines()
        kept_for = ""

        def compiled(built: Sequence[Built]) -> Printed:
            nonlocal kept_for
            # For all platforms, so that a colleague can install it; where some have no wheel, for this one.
            kept_for = f"Python {chosen.interpreter.minor} and newer, on all platforms"
            printed = run([*command, *_offered(built, place), "--universal"])
            if printed.is_done or printed.is_unreachable:
                return printed
            kept_for = f"Python {chosen.interpreter.minor} on this platform"
            return run([*command, *_offered(built, place)])

        builder = _builder(declared.allow_build, chosen, cache, workshop)
        with _building(compiled, partial(_lines_of, wanted), builder) as (printed, built):
            if not printed.is_done:
                raise _problem(printed, declared, sorted(needs.direct))
            text = _with_sources((place / OWN_LOCK).read_text(), built)
        return own_lock(text, known.inputs, kept_for).encode()


def _lines_of(wanted: Sequence[str], name: str) -> tuple[list[str], Collection[str]]:
    """What is asked for of a package, as it is to be built; nothing is known of what it needs itself."""
    lines = [line for line in wanted if normalised_name(parse_requirement(line).name) == name]
    return lines or [name], ()


@contextmanager
def python_packages(
    pins: Collection[Pin],
    direct: Collection[str],
    chosen: Chosen,
    cache: Cache,
    workshop: Workshop,
    allow_build: Collection[str] = (),
) -> Iterator[Environment]:
    """Within the block there is an environment with these packages and no others.

    Args:
        pins: the packages.
        direct: the names of those that were asked for.
        chosen: the interpreter.
        cache: where environments are kept.
        workshop: where uv runs.
        allow_build: the names of the packages that are built, in the sandbox, where they have no wheel.

    Raises:
        WorkorderError: a package can't be had, has another hash, would have to be built, or no index answers.
    """
    ordered = sorted(pins)
    contents = sha256_hex(canonical_json([_FORMAT, list(chosen.identity), [pin.line for pin in ordered]]))
    # The same contents for an interpreter in another place are another directory.
    where = sha256_hex(canonical_json([_FORMAT, str(chosen.interpreter.executable)]))

    def make(folder: Path, final: Path) -> None:
        builder = _builder(allow_build, chosen, cache, workshop)
        _install(folder, final, ordered, builder)

    with cache.entry(f"python-{contents[:24]}-{where[:8]}", make) as folder:
        elsewhere = () if chosen.is_own else (chosen.prefix,)
        yield Environment(
            hash=contents,
            python=folder / "bin" / "python",
            programs=(folder / "bin",),
            interpreters=(chosen.interpreter.description,),
            visible=(folder, *elsewhere),
            packages=tuple(
                Package("python", pin.name, pin.version, is_direct=pin.name in direct) for pin in ordered
            ),
        )


def _builder(allowed: Collection[str], chosen: Chosen, cache: Cache, workshop: Workshop) -> Builder:
    def install(pins: Sequence[Pin]) -> AbstractContextManager[Environment]:
        return python_packages(pins, (), chosen, cache, workshop)

    def problem(printed: Printed, names: Sequence[str]) -> WorkorderError:
        return _problem(printed, Declared(), names)

    names = frozenset(map(normalised_name, allowed))
    return Builder(names, chosen, cache, workshop, install, problem)


@contextmanager
def _building(
    run: Callable[[Sequence[Built]], Printed],
    needed: Callable[[str], tuple[Sequence[str], Collection[str]]],
    builder: Builder,
) -> Iterator[tuple[Printed, Sequence[Built]]]:
    """How uv ended in the end, and what was built for it: whenever it names a package that may be."""
    with ExitStack() as used:
        built: list[Built] = []
        while True:
            printed = run(built)
            match = None if printed.is_done else _TO_BUILD.search(printed.text)
            name = normalised_name(match[1]) if match is not None else ""
            if name not in builder.allowed or name in {each.source.name for each in built}:
                yield printed, built
                return
            lines, hashes = needed(name)
            built.append(used.enter_context(builder.built(name, lines, hashes)))


def _offered(built: Sequence[Built], place: Path) -> tuple[str, ...]:
    """The options by which uv finds what was built."""
    for each in built:
        shutil.copyfile(each.wheel, place / each.wheel.name)
    return ("--find-links", str(place)) if built else ()


def _with_sources(lock: str, built: Sequence[Built]) -> str:
    """A lock with the hashes of sources in the place of wheels that nobody else has."""
    for each in built:
        entry = re.compile(rf"^({re.escape(each.source.name)}==.*?)(?: \\\n    --hash=\S+)+$", re.MULTILINE)
        lock = entry.sub(rf"\g<1> \\\n    --hash=sha256:{each.source.digest}", lock)
    return lock


def _install(folder: Path, final: Path, pins: Collection[Pin], builder: Builder) -> None:
    chosen, workshop = builder.chosen, builder.workshop
    uv = workshop.program("uv", INSTALL_UV)
    workshop.progress(f"installing {len(pins)} Python packages")
    site = write_virtual_environment(folder, chosen.interpreter)
    with (folder / "pyvenv.cfg").open("a") as settings:
        # Then uv writes commands that find the interpreter beside them, wherever the directory goes.
        settings.write("relocatable = true\n")
    with TemporaryDirectory(prefix="workorder-") as place:
        command: list[str | Path] = [uv, "pip", "install", *uv_configuration(workshop.own), *_WHEELS]
        # No second names: what is kept is closed for writing, and uv's own cache is not ours.
        command += ["--require-hashes", "--no-deps", "--link-mode", "copy"]
        command += ["--python", folder / "bin" / "python", "-r", "pins.txt"]
        environment = python_environment(workshop.own)

        def installed(built: Sequence[Built]) -> Printed:
            digests = {each.source.name: f" --hash=sha256:{each.digest}" for each in built}
            text = "".join(f"{pin.line}{digests.get(pin.name, '')}\n" for pin in pins)
            (Path(place) / "pins.txt").write_text(text)
            offered = _offered(built, Path(place))
            return workshop.run(
                "python-install", [*command, *offered], cwd=Path(place), environment=environment
            )

        def needed(name: str) -> tuple[list[str], Collection[str]]:
            pin = next(pin for pin in pins if pin.name == name)
            return [f"{pin.name}=={pin.version}"], pin.hashes

        with _building(installed, needed, builder) as (printed, _):
            if not printed.is_done:
                raise _problem(printed, Declared(), [pin.name for pin in pins])
        _compile(site, final / site.relative_to(folder), chosen, workshop, Path(place))


def _compile(site: Path, final: Path, chosen: Chosen, workshop: Workshop, place: Path) -> None:
    """Write bytecode, which commands can't: they would compile each module every time.

    By an interpreter that sees nothing of the packages: -I and -S.
    """
    compiler = (chosen.interpreter.executable, "-I", "-S", "-m", "compileall", "-q")
    # It fails where a package has templates or tests of another version of Python: that is no error here.
    workshop.run(
        "python-compile",
        (*compiler, "-s", site, "-p", final, site),
        cwd=place,
        environment={"LC_ALL": "C.UTF-8"},
    )


def _problem(printed: Printed, declared: Declared, names: Sequence[str]) -> WorkorderError:
    """What uv's words mean."""
    text = printed.text
    unsolved = "No solution found" in text and "network was disabled" not in text
    other = _OTHER_HASH.search(text)
    if other is not None:
        return MachineProblem(
            f"a file of {other[1]} has another hash than the lock says",
            hint="the index serves other files than were locked: find out why before you lock it anew",
        )
    if not unsolved and (printed.is_unreachable or "network was disabled" in text):
        return MachineProblem(
            f"the index of Python packages does not answer, and these are not in the cache: {listed(names)}"
            f" ({printed.brief(5)})",
            hint="connect to the network once, or set the index: UV_DEFAULT_INDEX, or index-url in pip.conf",
        )
    # uv asks the other indexes then, and may only say that none has the package.
    refused = printed.refusal(
        "an index of Python packages", names, "correct what is configured for it: UV_INDEX, uv.toml or .netrc"
    )
    if refused is not None:
        return refused
    missing = _MISSING.search(text)
    if missing is not None:
        return declared.error(
            f"the Python package {missing[1]} is not in the index",
            normalised_name(missing[1]),
            "correct the name, or configure the index that has it",
        )
    building = _TO_BUILD.search(text)
    if building is not None:
        return declared.error(
            f"the Python package {building[1]} has no wheel for this interpreter and platform, and building"
            " one would run its code",
            normalised_name(building[1]),
            "ask for a version that has a wheel, offer a wheel of it in an index of yours (UV_FIND_LINKS), or"
            f' let it be built in the sandbox: allow-build = ["{building[1]}"] under [environment] in'
            f" {OWN_FILE}",
        )
    lacking = _NO_VERSION.search(" ".join(text.split()))
    if unsolved and lacking is not None:
        return declared.error(
            f"the index has no version of the Python package {lacking[1]} that is asked for: {lacking[2]}",
            normalised_name(lacking[1]),
            "correct the version, or configure the index that has it",
        )
    if unsolved:
        cause = _CAUSE.search(text)
        told = " ".join((cause[1] if cause else text).split())[:600]
        named = next((name for name in declared.all_python if re.search(rf"\b{name}\b", told)), "")
        return declared.error(
            f"the Python packages don't fit together: {told}",
            named,
            "change a version, or let the index choose it: name the package without one",
        )
    return MachineProblem(
        f"uv failed: {printed.brief()}", hint="what it printed is in the directory `environment` of OUT"
    )
