"""What a worker sees of its user's environment, and what it can do: no key, and what was tried."""

import os
from collections.abc import Iterable, Mapping
from typing import Final

from factory.engines.message import peer
from factory.engines.office import NAME_VARIABLE, PLACE_VARIABLE
from factory.environments.cache import CACHE_VARIABLE
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


def abilities(own: Mapping[str, str]) -> dict[str, float]:
    """What a worker can do, as Dask's resources: the versions that it speaks, each sandbox that works here.

    One is enough for any trial: a worker has one at a time.
    """
    sandboxes = [level.name for level in levels(own) if level.sandbox is not None]
    return {peer(): 1.0, "sandbox-none": 1.0} | {f"sandbox-{name}": 1.0 for name in sandboxes}


def keep_only(environment: Mapping[str, str]) -> None:
    """Make this the environment of this process, before anything has read another."""
    for name in [*os.environ]:
        if name not in environment:
            del os.environ[name]
    os.environ.update(environment)
