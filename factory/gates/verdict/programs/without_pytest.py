"""Ends in the place of what follows where pytest is not installed: then there is nothing to bear witness of.

What follows has pytest from here: before there is a checkout on the path that could take its place.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from factory.gates.verdict.programs.begin import OWN_NAME, begin, raise_as_own, take_place


def run_without() -> None:
    """Run what there is of that name: nothing, or a module of the project."""
    import runpy

    _, searched, (script, *words) = begin()
    take_place(os.path.dirname(script) if script else os.getcwd(), searched)
    if script:
        sys.argv[:] = [script, *words]
        runpy.run_path(script, run_name="__main__")
        return
    sys.argv[:] = ["-m", *words]
    try:
        runpy._run_module_as_main("pytest")  # type: ignore[attr-defined]
    except Exception:
        raise_as_own()
        raise


if __name__ == OWN_NAME:
    try:
        import pytest  # noqa: F401
    except ImportError:
        run_without()
        sys.exit()
