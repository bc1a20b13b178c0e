"""What models answer in tests: proposals as text, and tiny programs for `command:`."""

import hashlib
import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

APP = "print('hello')\n"
"""The content that `a_proposal` writes to `src/app.py` unless told otherwise."""


def sha256(content: "str | bytes") -> str:
    """The SHA-256 of a file's content as hex digits."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def a_proposal(
    files: Mapping[str, str] | None = None,
    *,
    bases: "Mapping[str, str | bytes] | None" = None,
    summary: str = "Wrote the files.",
) -> str:
    """The text of a `WriteProposal`.

    Args:
        files: path and new content of each file; `src/app.py` if left out.
        bases: the content that a file had before; a file that is not named did not exist.
        summary: the model's own words.
    """
    chosen = {"src/app.py": APP} if files is None else files
    writes = [
        {"path": path, "base_sha256": sha256((bases or {}).get(path, "")), "content": content}
        for path, content in chosen.items()
    ]
    return json.dumps({"summary": summary, "writes": writes})


def an_edit(path: str, base: "str | bytes", *edits: tuple[str, str]) -> str:
    """The text of an answer that edits one file; `base` is what that holds, an edit what becomes what."""
    changes = [{"old": old, "new": new} for old, new in edits]
    write = {"path": path, "base_sha256": sha256(base), "content": None, "edits": changes}
    return json.dumps({"summary": f"Edited {path}.", "writes": [write]})


def answering_program(path: Path, *answers: str) -> str:
    """A program that prints the answers one after the other, the last one again and again.

    Args:
        path: the program's file; it counts its calls in `PATH.calls`, one byte each.
        answers: what it prints.

    Returns:
        The value for `--llm`.
    """
    return _program(
        path,
        "import pathlib, sys\n"
        f"answers = {list(answers)!r}\n"
        f"calls = pathlib.Path({str(path) + '.calls'!r})\n"
        "sys.stdin.read()\n"
        "count = len(calls.read_bytes()) if calls.exists() else 0\n"
        "calls.write_bytes(b'.' * (count + 1))\n"
        "print(answers[min(count, len(answers) - 1)])\n",
    )


def calls_of(path: Path) -> int:
    """How often the program that `answering_program` made was called."""
    calls = Path(f"{path}.calls")
    return len(calls.read_bytes()) if calls.exists() else 0


def sleeping_program(path: Path) -> str:
    """A program that never answers; it writes its process id to `PATH.pid` when it has begun."""
    return _program(path, _announce(path) + "time.sleep(600)\n")


def sleeping_gate(path: Path) -> str:
    """An acceptance command that never ends; it writes its process id to `PATH.pid` when it has begun."""
    return _program(path, _announce(path) + "time.sleep(600)\n").removeprefix("command:")


def failing_program(path: Path, exit_code: int = 1, message: str = "no credit left") -> str:
    """A program that prints `message` to standard error and fails; the value for `--llm`."""
    return _program(path, f"import sys\nprint({message!r}, file=sys.stderr)\nsys.exit({exit_code})\n")


def _announce(path: Path) -> str:
    # Written under another name first: whoever waits for the file must find the number in it.
    return (
        "import os, pathlib, time\n"
        f"part = pathlib.Path({str(path) + '.part'!r})\n"
        "part.write_text(str(os.getpid()))\n"
        f"part.rename({str(path) + '.pid'!r})\n"
    )


def _program(path: Path, source: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    return f"command:{shlex.join([sys.executable, '-I', '-S', str(path)])}"
