"""How a build, or a run, was called last: what a person says of its work orders is carried out the same way.

The words of its command line are kept as they were given, and where. Not here: how they are read.
"""

from pathlib import Path
from typing import Literal

from factory.runs.record.files import Artifact
from factory.runs.record.model import Record

Command = Literal["build", "run"]


class Call(Record):
    """A command line.

    Attributes:
        command: which command it was.
        words: its words, without the program's name.
        defaults: what options are that it does not give, by their names, as `workorder` knows them.
        folder: the directory that it was given in, which its paths may be relative to.
        ended: when it ended.
    """

    command: Command
    words: tuple[str, ...]
    defaults: dict[str, str]
    folder: str
    ended: str


CALL = Artifact("call.json", Call)
"""Of a build in its output directory, of a run in the run's folder."""


def last_call(out: Path, run: Path | None) -> Call | None:
    """How a work order was called for last; None if that is not known.

    Args:
        out: the output directory.
        run: the folder of its latest run; None if there is none.

    Raises:
        WorkorderError: a record can't be read.
    """
    folders = (out, run) if run is not None else (out,)
    calls = [call for folder in folders if (call := CALL.read(folder)) is not None]
    return max(calls, key=lambda call: call.ended, default=None)
