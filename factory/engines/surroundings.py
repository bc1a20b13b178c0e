"""What a worker sees of its user's environment, and what it can do: no key, and what was tried."""

import os
import shutil
from collections.abc import Iterable, Mapping
from typing import Final

from factory.engines.message import peer
from factory.engines.needs import having
from factory.engines.office import NAME_VARIABLE, PLACE_VARIABLE
from factory.environments.cache import CACHE_VARIABLE
from factory.gates.before.toolchains import TOOLCHAINS
from factory.system.process.environment import COMMAND_ENV_VARIABLE, program_environment
from factory.system.sandbox.levels.choose import levels

_OWN: Final = (CACHE_VARIABLE, PLACE_VARIABLE, NAME_VARIABLE)
_DASK: Final = "DASK_"


def worker_environment(own: Mapping[str, str], named: Iterable[str] = ()) -> dict[str, str]:
    """The environment of a worker: programs are found, Dask is configured, nothing else is known.

    Args:
        own: the user's.
        named: further variables that the user lets through, such as where packages are fetched from.
    """
    trusted = program_environment({name: own[name] for name in own if name != COMMAND_ENV_VARIABLE})
    further = {name: own[name] for name in (*_OWN, *named) if name in own}
    return trusted | further | {name: value for name, value in own.items() if name.startswith(_DASK)}


def abilities(own: Mapping[str, str], memory_bytes: int) -> dict[str, float]:
    """What a worker can do: its versions, the sandboxes that work, the programs of languages, and memory.

    Args:
        own: its environment.
        memory_bytes: how much memory this machine gives it.
    """
    sandboxes = ["none", *(level.name for level in levels(own) if level.sandbox is not None)]
    programs = [program for program in TOOLCHAINS if shutil.which(program, path=own.get("PATH", os.defpath))]
    return having(peer(), levels=sandboxes, programs=programs, memory_bytes=memory_bytes)


def keep_only(environment: Mapping[str, str]) -> None:
    """Make this the environment of this process, before anything has read another."""
    for name in [*os.environ]:
        if name not in environment:
            del os.environ[name]
    os.environ.update(environment)
