"""Runs what `python -m` runs of a module of the project, and reports when it has ended by itself."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from factory.gates.verdict.programs.begin import (
        OWN_NAME,
        begin,
        is_of_import,
        name_words,
        raise_as_own,
        take_place,
    )
    from factory.gates.verdict.programs.unchanged import ended, remember


def run() -> None:
    import runpy

    hand_over, searched, (module, *words) = begin()
    name_words("-m", module, *words)
    sys.argv[:] = ["-m", *words]
    replaced = remember()
    take_place(os.getcwd(), searched)
    try:
        runpy._run_module_as_main(module)  # type: ignore[attr-defined]
    except SystemExit as end:
        if end.code in (None, 0) and not is_of_import(end):
            hand_over(ended(replaced()))
        raise
    except BaseException:
        raise_as_own()
        raise
    hand_over(ended(replaced()))


if __name__ == OWN_NAME:
    run()
