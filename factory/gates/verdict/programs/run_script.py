"""Runs a script of the project, as `python SCRIPT` does, and reports when it has ended by itself."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from factory.gates.verdict.programs.begin import OWN_NAME, begin, name_words, take_place
    from factory.gates.verdict.programs.to_its_end import run_to_its_end
    from factory.gates.verdict.programs.unchanged import remember


def run() -> None:
    import importlib.machinery

    hand_over, searched, (script, *words) = begin()
    name_words(script, *words)
    sys.argv[:] = [script, *words]
    place = os.path.join(os.getcwd(), script)
    main = sys.modules["__main__"]
    main.__file__, main.__loader__ = place, importlib.machinery.SourceFileLoader("__main__", place)
    main.__dict__["__cached__"] = None

    def execute() -> None:
        with open(place, "rb") as file:
            code = compile(file.read(), place, "exec", dont_inherit=True)
        exec(code, main.__dict__)

    replaced = remember()
    take_place(os.path.dirname(os.path.realpath(place)), searched)
    run_to_its_end(execute, hand_over, replaced)


if __name__ == OWN_NAME:
    run()
