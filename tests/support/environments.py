"""The bare environment, which all tests share; the first that needs it makes it."""

import os
import shutil
from dataclasses import replace
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from factory.environments.bare import bare_environment
from factory.environments.environment import Environment
from factory.environments.provide import environments_in


@cache
def bare() -> Environment:
    """The environment of a project that declares nothing; no test prunes the cache that all of them share."""
    with bare_environment(environments_in(os.environ)) as environment:
        return environment


def with_workers(folder: Path) -> Environment:
    """The bare environment with pytest-xdist, in a directory that is not there yet."""
    kept = bare().python.parent.parent
    shutil.copytree(kept, folder, symlinks=True)
    site = next(folder.glob("lib/python*/site-packages"))
    for name in ("pytest-xdist", "execnet"):
        for file in distribution(name).files or ():
            if ".." not in file.parts:
                (site / file).parent.mkdir(exist_ok=True, parents=True)
                shutil.copy(Path(str(file.locate())), site / file)
    return replace(bare(), python=folder / "bin" / "python", programs=(folder / "bin",), visible=(folder,))
