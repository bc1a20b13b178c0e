"""Runs a script of the project, as `python SCRIPT` does, and reports when it has ended by itself."""

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
    import importlib.machinery

    hand_over, searched, (script, *words) = begin()
    name_words(script, *words)
    sys.argv[:] = [script, *words]
    place = os.path.join(os.getcwd(), script)
    main = sys.modules["__main__"]
    main.__file__, main.__loader__ = place, importlib.machinery.SourceFileLoader("__main__", place)
    main.__dict__["__cached__"] = None
    replaced = remember()
    take_place(os.path.dirname(os.path.realpath(place)), searched)
    try:
        with open(place, "rb") as file:
            code = compile(file.read(), place, "exec", dont_inherit=True)
        exec(code, main.__dict__)
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
