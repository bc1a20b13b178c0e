"""Which Python a project runs with: the one that runs Workorder, or another one on the machine."""

import json
import platform
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from packaging.markers import default_environment
from packaging.specifiers import SpecifierSet

from factory.contract.errors import MachineProblem
from factory.environments.interpreter import INTERPRETER, Interpreter
from factory.environments.needs.python.needs import PythonNeeds
from factory.environments.tools.registries import python_environment, uv_configuration
from factory.environments.tools.workshop import Workshop

INSTALL_UV: Final = "install it: pip install 'workorder[packages]'"

# -I and -S: nothing of where it is installed, and of where it runs, is imported.
_ASK: Final = (
    "import json, os, platform, sys, sysconfig;"
    "print(json.dumps([os.path.realpath(getattr(sys, '_base_executable', None) or sys.executable),"
    " platform.python_version(), platform.python_implementation(), sys.version,"
    " sysconfig.get_platform(), sys.base_prefix]))"
)


@dataclass(frozen=True)
class Chosen:
    """An interpreter, and what is known of it.

    Attributes:
        interpreter: itself.
        identity: what tells it from others: implementation, version and build, platform.
        prefix: the directory that it and its library are in.
        markers: what markers of packages are compared with.
    """

    interpreter: Interpreter
    identity: tuple[str, ...]
    prefix: Path
    markers: Mapping[str, str]

    @property
    def is_own(self) -> bool:
        """Whether it is the one that runs Workorder."""
        return self.interpreter == INTERPRETER


def choose_interpreter(needs: PythonNeeds, workshop: Workshop) -> Chosen:
    """The interpreter that a project asks for, else the one that runs Workorder.

    Args:
        needs: what is asked for.
        workshop: where uv looks for it.

    Raises:
        MachineProblem: it is not on this machine, or uv is not installed.
    """
    wanted = f"=={needs.version}.*" if needs.version else needs.requires_python
    if SpecifierSet(str(wanted)).contains(INTERPRETER.version, prereleases=True):
        identity = (platform.python_implementation(), sys.version, sysconfig.get_platform())
        return Chosen(INTERPRETER, identity, Path(sys.base_prefix), _markers(INTERPRETER.version))
    request = needs.version or str(needs.requires_python)
    uv = workshop.program("uv", INSTALL_UV)
    environment = python_environment(workshop.own)
    with TemporaryDirectory(prefix="workorder-") as place:
        options = (*uv_configuration(workshop.own), "--no-project", "--system")
        search: tuple[str | Path, ...] = (uv, "python", "find", *options, request)
        answer = workshop.run("python-find", search, cwd=Path(place), environment=environment)
        lines = [line for line in answer.text.splitlines() if line.startswith("/")]
        if not answer.is_done or not lines:
            raise MachineProblem(
                f"the project asks for Python {request}, and no such interpreter is on this machine",
                hint=f"install it, for example with `uv python install {needs.version or '3.13'}`",
            )
        asked = workshop.run(
            "python-version", (lines[-1], "-I", "-S", "-c", _ASK), cwd=Path(place), environment=environment
        )
    try:
        executable, version, implementation, build, system, prefix = map(str, json.loads(asked.text))
    except (ValueError, TypeError) as error:
        raise MachineProblem(
            "the interpreter does not say what it is", where=lines[-1], hint="install it anew"
        ) from error
    return Chosen(
        Interpreter(Path(executable), version),
        (implementation, build, system),
        Path(prefix),
        _markers(version),
    )


def _markers(version: str) -> Mapping[str, str]:
    known = {name: str(value) for name, value in default_environment().items()}
    minor = ".".join(version.split(".")[:2])
    return known | {
        "python_version": minor,
        "python_full_version": version,
        "implementation_version": version,
    }
