"""Runs a command so that it can be known how it ended: by a program of ours, where there is one for it."""

import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from factory.gates.verdict.cargo_output import read_cargo
from factory.gates.verdict.go_output import read_go
from factory.gates.verdict.judgement import AnyRewritten
from factory.gates.verdict.node_words import RewrittenNode, rewritten_node
from factory.gates.verdict.printed_words import RewrittenPrinting, rewritten_printing
from factory.gates.verdict.report import Report, parse_report
from factory.gates.verdict.rewrite import Rewritten, rewritten
from factory.system.files.tree import read_bounded, write_atomic
from factory.system.process.channel import Channel
from factory.system.process.command import Command, Outcome
from factory.system.process.launch import run
from factory.system.process.output import HEAD_BYTES

_PROGRAMS: Final = Path(__file__).parent / "programs"
_WORD_BYTES: Final = 32
_LONGEST_LINES: Final = 2_000
_LONGEST_PACKAGE: Final = 1_000_000
# As installers write it, also where the path is too long for the first line.
_INTERPRETER: Final = re.compile(
    rb"""#![ \t]*(?P<plain>/[^\s]*python[\d.]*)[ \t]*\n"""
    rb"""|#!/bin/sh\n'''exec'[ \t]"?(?P<quoted>/[^"\n]*python[\d.]*)"?[ \t]"""
)


@dataclass(frozen=True)
class Observed:
    """How a command ended, and what is known beside its exit code.

    Attributes:
        outcome: how it ended.
        command: the command as a program of ours ran it; None if none did.
        report: what that program reported; None if nothing that is its own.
    """

    outcome: Outcome
    command: AnyRewritten | None
    report: Report | None


def observe(command: Command, start: Callable[[Command], Outcome] = run) -> Observed:
    """Run a command to its end, and read what a program of ours reports of it.

    Args:
        command: the command.
        start: runs it, see `run`.

    Raises:
        Stopped, OSError: see `run`.
    """
    root = command.cwd or Path.cwd()
    ours: Rewritten | RewrittenNode | None = rewritten(
        command.argv,
        is_own=lambda module, searched: _is_own(module, root, searched),
        is_script=lambda file: file.endswith(".py") and (root / file).is_file(),
        interpreter=lambda word: _interpreter(word, root, command.env),
    )
    if ours is None:
        ours = rewritten_node(command.argv, script=lambda name: _package_script(name, root))
    if ours is None:
        printing = rewritten_printing(command.argv)
        if printing is None:
            return Observed(start(command), None, None)
        return _printed(command, printing, start)
    word = secrets.token_hex(_WORD_BYTES).encode()
    with Channel(word, _text(ours)) as channel:
        outcome = start(replace(command, argv=ours.words(channel.inherited), channels=(channel,)))
        return Observed(outcome, ours, parse_report(channel.received, word))


def _printed(command: Command, ours: RewrittenPrinting, start: Callable[[Command], Outcome]) -> Observed:
    """Run a command that is judged by what it prints; its output becomes what people expect of it."""
    if command.stderr is not None:
        return Observed(start(command), None, None)
    outcome = start(replace(command, argv=ours.argv))
    if outcome.output_bytes > HEAD_BYTES:
        # What is missing in the middle would be missed.
        return Observed(outcome, None, None)
    printed = read_bounded(command.stdout, max_bytes=HEAD_BYTES)
    if ours.runner == "cargo":
        return Observed(outcome, ours, read_cargo(printed))
    report, text = read_go(printed, is_verbose=ours.is_verbose)
    write_atomic(command.stdout, text)
    return Observed(replace(outcome, output_bytes=len(text)), ours, report)


def _text(command: Rewritten | RewrittenNode) -> bytes:
    if isinstance(command, RewrittenNode):
        each_file = (_PROGRAMS / "node" / "each_file.mjs").read_text("utf-8")
        program = (_PROGRAMS / "node" / f"run_{command.runner}.cjs").read_text("utf-8")
        return f"const EACH_FILE = {json.dumps(each_file)};\n{program}".encode()
    # Each builds on what the earlier ones have defined.
    before: tuple[str, ...] = ("begin", "unchanged", "to_its_end")
    if command.runner == "pytest":
        before = ("begin", "without_pytest", "unchanged", "unreplaced", "left_out", "witness")
    elif command.runner == "unittest":
        before = ("begin", "unchanged", "left_out")
    files = (*before, f"run_{command.runner}")
    return b"\n".join((_PROGRAMS / f"{name}.py").read_bytes() for name in files)


def _is_own(module: str, root: Path, searched: str) -> bool:
    """Whether a module is in the checkout: of an installed one nothing is known of how it ends."""
    places = [root, *(root / entry for entry in searched.split(os.pathsep) if entry)]
    return any(os.path.lexists(place / name) for place in places for name in (module, f"{module}.py"))


def _package_script(name: str, root: Path) -> str | None:
    """The text of a script in `package.json`; None if there is none, or npm runs others around it."""
    try:
        with open(root / "package.json", "rb") as file:
            document = json.loads(file.read(_LONGEST_PACKAGE))
    except (OSError, ValueError, RecursionError):
        return None
    scripts = document.get("scripts") if isinstance(document, dict) else None
    if not isinstance(scripts, dict) or f"pre{name}" in scripts or f"post{name}" in scripts:
        return None
    text = scripts.get(name)
    return text if isinstance(text, str) else None


def _interpreter(word: str, root: Path, environment: Mapping[str, str]) -> tuple[str, str] | None:
    """The interpreter that a console command names in its first lines, and the command's place."""
    place = str(root / word) if "/" in word else shutil.which(word, path=environment.get("PATH", ""))
    if place is None:
        return None
    try:
        with open(place, "rb") as file:
            lines = file.read(_LONGEST_LINES)
    except OSError:
        return None
    match = _INTERPRETER.match(lines)
    if match is None or b"pytest" not in lines:
        return None
    return os.fsdecode(match["plain"] or match["quoted"]), place
