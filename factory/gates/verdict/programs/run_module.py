"""Runs what `python -m` runs of a module of the project, and reports when it has ended by itself."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from factory.gates.verdict.programs.begin import OWN_NAME, begin, name_words, take_place
    from factory.gates.verdict.programs.to_its_end import run_to_its_end
    from factory.gates.verdict.programs.unchanged import remember


def run() -> None:
    import runpy

    hand_over, searched, (module, *words) = begin()
    name_words("-m", module, *words)
    sys.argv[:] = ["-m", *words]
    replaced = remember()
    take_place(os.getcwd(), searched)
    run_to_its_end(lambda: runpy._run_module_as_main(module), hand_over, replaced)  # type: ignore[attr-defined]


if __name__ == OWN_NAME:
    run()
