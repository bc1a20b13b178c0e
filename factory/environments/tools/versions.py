"""The versions of programs, asked for once: starting one takes longer than all the rest of a warm build."""

import json
import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from factory.contract.canonical import sha256_hex
from factory.contract.errors import MachineProblem
from factory.environments.tools.workshop import Workshop
from factory.system.files.tree import FileProblem, read_bounded, write_atomic

_ELF: Final = b"\x7fELF"


def version_of(program: Path, memory: Path, workshop: Workshop, *question: str) -> str:
    """The last word of what a program says of its version.

    Args:
        program: the program.
        memory: the directory in which answers are remembered.
        workshop: where it runs.
        question: what to ask; `--version` if nothing is given.

    Raises:
        MachineProblem: it doesn't say.
    """
    real = Path(os.path.realpath(program))
    status = real.stat()
    stamp = [str(real), status.st_mtime_ns, status.st_ctime_ns, status.st_size, *question]
    place = memory / f"version-{sha256_hex(json.dumps(stamp).encode())[:24]}.json"
    with suppress(FileProblem, ValueError):
        known = json.loads(read_bounded(place))
        if isinstance(known, str):
            return known
    with TemporaryDirectory(prefix="workorder-") as folder:
        printed = workshop.run(
            f"{program.name}-version",
            (program, *(question or ("--version",))),
            cwd=Path(folder),
            environment={name: workshop.own[name] for name in ("PATH", "HOME") if name in workshop.own},
        )
    words = printed.text.split()
    if not printed.is_done or not words:
        raise MachineProblem("does not say its version", where=str(program), hint="install it anew")
    with real.open("rb") as file:
        is_program = file.read(len(_ELF)) == _ELF
    # What a script answers may depend on more than itself.
    if is_program:
        with suppress(FileProblem, OSError):
            write_atomic(place, json.dumps(words[-1]).encode())
    return words[-1]
