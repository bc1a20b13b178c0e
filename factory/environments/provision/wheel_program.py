"""Runs inside the sandbox: unpacks a source distribution, or has its backend build a wheel (PEP 517).

    python wheel_program.py unpack ARCHIVE DIRECTORY
    python wheel_program.py build DIRECTORY TARGET BACKEND [BACKEND-PATH…]

Imports nothing of this project, and knows every Python 3 that still has wheels.
"""

import importlib
import os
import sys
import tarfile
import zipfile
from pathlib import Path


def unpack(archive: str, directory: str) -> None:
    """Whatever it holds ends in the sandbox: nothing outside of it can be written to."""
    if archive.endswith(".zip"):
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(directory)  # noqa: S202
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(directory)  # noqa: S202


def build(directory: str, target: str, backend: str, *places: str) -> None:
    """Call the backend as a frontend does: in the sources, which it can import from if it says so."""
    wheels = Path(target).resolve()
    wheels.mkdir()
    os.chdir(directory)
    sys.path[:0] = [str(Path(place).resolve()) for place in places]
    module, _, attributes = backend.partition(":")
    hooks = importlib.import_module(module)
    for attribute in attributes.split(".") if attributes else ():
        hooks = getattr(hooks, attribute)
    if hasattr(hooks, "get_requires_for_build_wheel"):
        wanted = hooks.get_requires_for_build_wheel()
        if wanted:
            sys.stdout.write("the backend also wants: " + ", ".join(map(str, wanted)) + "\n")
    hooks.build_wheel(str(wheels))


if __name__ == "__main__":
    if sys.argv[1] == "unpack":
        unpack(*sys.argv[2:])
    else:
        build(*sys.argv[2:])
