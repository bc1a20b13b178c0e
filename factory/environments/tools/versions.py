"""What programs say of themselves, asked for once: starting one takes longer than a whole warm build."""

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


def said_by(program: Path, memory: Path, workshop: Workshop, *question: str, remember: bool = True) -> str:
    """What a program says of itself, such as its version, in a line.

    Args:
        program: the program.
        memory: the directory in which answers are remembered.
        workshop: where it runs.
        question: what to ask.
        remember: whether the answer depends on nothing but the program.

    Raises:
        MachineProblem: it doesn't say.
    """
    real = Path(os.path.realpath(program))
    status = real.stat()
    stamp = [str(real), status.st_mtime_ns, status.st_ctime_ns, status.st_size, *question]
    place = memory / f"said-{sha256_hex(json.dumps(stamp).encode())[:24]}.json"
    with suppress(FileProblem, ValueError):
        # Nothing is there of what is not remembered.
        known = json.loads(read_bounded(place))
        if isinstance(known, str):
            return known
    with TemporaryDirectory(prefix="workorder-") as folder:
        printed = workshop.run(
            f"{program.name}-asked",
            (program, *question),
            cwd=Path(folder),
            environment={
                name: workshop.own[name] for name in ("PATH", "HOME", "RUSTUP_HOME") if name in workshop.own
            },
        )
    said = " ".join(printed.text.split())
    if not printed.is_done or not said:
        raise MachineProblem("does not say what it is", where=str(program), hint="install it anew")
    with real.open("rb") as file:
        is_program = file.read(len(_ELF)) == _ELF
    # What a script answers may depend on more than itself.
    if is_program and remember:
        with suppress(FileProblem, OSError):
            write_atomic(place, json.dumps(said).encode())
    return said
