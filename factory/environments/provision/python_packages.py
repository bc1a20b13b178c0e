"""Locks and installs Python packages with uv: from an index, by their hashes, as wheels alone."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from factory.contract.canonical import canonical_json, sha256_hex
from factory.contract.errors import MachineProblem, WorkorderError
from factory.contract.packages.names import normalised_name
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
from factory.environments.provision.python_interpreter import INSTALL_UV, Chosen
from factory.environments.tools.registries import python_environment, uv_configuration
from factory.environments.tools.workshop import Printed, Workshop
from factory.system.terminal.console import listed

_FORMAT: Final = 1
"""Counted up when an entry of the same contents is made in another way."""

_WHEELS: Final = ("--only-binary", ":all:")
_MISSING: Final = re.compile(r"([A-Za-z0-9._-]+) was not found in the package registry")
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
    workshop: Workshop,
) -> bytes:
    """The lock of all that is asked for, as it is committed.

    Args:
        needs: what is asked for.
        known: what the repository's own lock pins: that stays.
        before: the text of our earlier lock, whose versions are kept where they fit; None if there is none.
        chosen: the interpreter that it is for.
        declared: who declared what, for errors.
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
        command: list[str | Path] = [uv, "pip", "compile", *uv_configuration(workshop.own), *_WHEELS]
        command += ["--generate-hashes", "--no-header", "--no-annotate", "--quiet"]
        command += ["--python", chosen.interpreter.executable, "--constraint", "constraints.txt"]
        command += ["--output-file", OWN_LOCK, "requirements.in"]
        minor = chosen.interpreter.minor
        # For all platforms, so that a colleague can install it; where some have no wheel, for this one.
        for options, kept_for in (
            (["--universal"], f"Python {minor} and newer, on all platforms"),
            ([], f"Python {minor} on this platform"),
        ):
            printed = workshop.run(
                "python-lock",
                [*command, *options],
                cwd=place,
                environment=python_environment(workshop.own),
            )
            if printed.is_done:
                return own_lock((place / OWN_LOCK).read_text(), known.inputs, kept_for).encode()
            if printed.is_unreachable:
                break
        raise _problem(printed, declared, sorted(needs.direct))


@contextmanager
def python_packages(
    pins: Collection[Pin], direct: Collection[str], chosen: Chosen, cache: Cache, workshop: Workshop
) -> Iterator[Environment]:
    """Within the block there is an environment with these packages and no others.

    Args:
        pins: the packages.
        direct: the names of those that were asked for.
        chosen: the interpreter.
        cache: where environments are kept.
        workshop: where uv runs.

    Raises:
        WorkorderError: a package can't be had, has another hash, would have to be built, or no index answers.
    """
    ordered = sorted(pins)
    contents = sha256_hex(canonical_json([_FORMAT, list(chosen.identity), [pin.line for pin in ordered]]))
    # The same contents for an interpreter in another place are another directory.
    where = sha256_hex(canonical_json([_FORMAT, str(chosen.interpreter.executable)]))

    def make(folder: Path, final: Path) -> None:
        _install(folder, final, ordered, chosen, workshop)

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


def _install(folder: Path, final: Path, pins: Collection[Pin], chosen: Chosen, workshop: Workshop) -> None:
    uv = workshop.program("uv", INSTALL_UV)
    workshop.progress(f"installing {len(pins)} Python packages")
    site = write_virtual_environment(folder, chosen.interpreter)
    with (folder / "pyvenv.cfg").open("a") as settings:
        # Then uv writes commands that find the interpreter beside them, wherever the directory goes.
        settings.write("relocatable = true\n")
    with TemporaryDirectory(prefix="workorder-") as place:
        (Path(place) / "pins.txt").write_text("".join(f"{pin.line}\n" for pin in pins))
        command: list[str | Path] = [uv, "pip", "install", *uv_configuration(workshop.own), *_WHEELS]
        # No second names: what is kept is closed for writing, and uv's own cache is not ours.
        command += ["--require-hashes", "--no-deps", "--link-mode", "copy"]
        command += ["--python", folder / "bin" / "python", "-r", "pins.txt"]
        printed = workshop.run(
            "python-install", command, cwd=Path(place), environment=python_environment(workshop.own)
        )
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
            "ask for a version that has a wheel, or offer a wheel of it in an index of yours"
            " (UV_FIND_LINKS); allow-build is not supported for Python yet",
        )
    if unsolved:
        cause = _CAUSE.search(text)
        told = " ".join((cause[1] if cause else text).split())[:600]
        planned = next((name for name in declared.planned_python if re.search(rf"\b{name}\b", told)), "")
        return declared.error(f"the Python packages don't fit together: {told}", planned, "change a version")
    return MachineProblem(
        f"uv failed: {printed.brief()}", hint="what it printed is in the directory `environment` of OUT"
    )
