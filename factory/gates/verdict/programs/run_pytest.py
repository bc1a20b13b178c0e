"""Runs `python -m pytest` with a witness in its session, and reports what the witness saw.

The witness is handed to pytest as an object: no option and no file of the project can unload it.
"""

import json
import os
import sys

import _pytest.config as pytest_config
import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from factory.gates.verdict.programs.begin import OWN_NAME, begin, name_words, raise_as_own, take_place
    from factory.gates.verdict.programs.witness import Witness


def run() -> None:
    hand_over, searched, (script, *words) = begin()
    place = os.path.dirname(script) if script else os.getcwd()
    if script:
        sys.argv[:] = [script, *words]
        name_words(script, *words)
    else:
        name_words("-m", "pytest", *words)
        _be_module()
        sys.argv[:] = [sys.modules["__main__"].__file__ or "pytest", *words]
    # Before there is a checkout whose code could run.
    witness = Witness(words)
    take_place(place, searched)
    try:
        status = _main(words, [witness])
    except SystemExit:
        # Such as a conftest.py that ends the process while it is being imported.
        raise
    except BaseException:
        raise_as_own()
        raise
    hand_over(json.dumps(witness.report(int(status))).encode())
    sys.exit(status)


def _main(words, plugins):
    """What pytest's own entry point does."""
    try:
        if hasattr(pytest_config, "_main"):
            status = pytest_config._main(
                args=words, plugins=plugins, prog=pytest_config._get_prog_name(sys.argv)
            )
        else:
            status = pytest.main(words, plugins)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _be_module() -> None:
    """Make `__main__` what it is in `python -m pytest`: other processes are started by what it says."""
    import importlib.util

    spec = importlib.util.find_spec("pytest.__main__")
    main = sys.modules["__main__"]
    main.__spec__, main.__package__ = spec, "pytest"
    if spec is not None:
        main.__file__, main.__loader__ = spec.origin, spec.loader
        main.__dict__["__cached__"] = spec.cached


if __name__ == OWN_NAME:
    run()
