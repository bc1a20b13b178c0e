"""A program as a model: the prompt on its standard input, the answer on its standard output.

Not for gates: what a plan wants run goes through `factory.gates`.
"""

import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from factory.contract.errors import WorkorderError
from factory.llm.port import Answer, FinishReason, ProviderError, Request, Usage, estimate_tokens
from factory.llm.schema_text import prompt_text
from factory.llm.secrets import redact, secret_values
from factory.system.files.tree import FileProblem, read_bounded
from factory.system.process.command import Command, Outcome
from factory.system.process.environment import program_environment
from factory.system.process.launch import run as run_command
from factory.system.process.output import HEAD_BYTES
from factory.system.process.stop import Stop
from factory.system.terminal.console import visible

DEFAULT_TIMEOUT_SECONDS: Final = 3_600.0
"""How long a program may take for one answer."""

# What is longer than its stored beginning may have lost its middle.
_MAX_ANSWER_BYTES: Final = HEAD_BYTES
_TAIL_BYTES: Final = 8_000
_TAIL_LINES: Final = 8
_TAIL_CHARS: Final = 1_000

_HINT: Final = "repair the program, or name another model; then run again: stored answers are used"


class CommandModel:
    """A model behind a local program.

    Args:
        command_line: the program and its arguments, split as a shell would, run without a shell.
        environment: the variables of this process; the program sees an allow-list of them.
        timeout_seconds: how long one answer may take.
        stop: ends the program when another thread asks for that; None if none will.
        run: how a process is run.

    Raises:
        WorkorderError: the command line can't be split, is empty, or holds a secret, which the ledger would
            keep.
    """

    def __init__(
        self,
        command_line: str,
        *,
        environment: Mapping[str, str],
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        stop: Stop | None = None,
        run: Callable[[Command], Outcome] = run_command,
    ) -> None:
        self._secrets = secret_values(environment)
        self._words = self._split(command_line)
        self._environment = program_environment(environment)
        self._timeout_seconds = timeout_seconds
        self._stop = stop
        self._run = run

    @property
    def adapter(self) -> str:
        return "command"

    @property
    def name(self) -> str:
        return shlex.join(self._words)

    def complete(self, request: Request) -> Answer:
        prompt = prompt_text(request)
        # Files without a name: a kill can't leave them behind.
        with TemporaryFile() as stdout, TemporaryFile() as stderr:
            out, err = (Path(f"/dev/fd/{file.fileno()}") for file in (stdout, stderr))
            outcome = self._run(
                Command(
                    argv=self._words,
                    cwd=None,
                    env=self._environment,
                    timeout_seconds=self._timeout_seconds,
                    stdout=out,
                    stderr=err,
                    stdin=prompt.encode("utf-8"),
                    stop=self._stop,
                )
            )
            if not outcome.ok:
                raise self._failure(outcome, out, err)
            text = self._answer_text(out, err)
        usage = Usage(
            input_tokens=estimate_tokens(prompt), output_tokens=estimate_tokens(text), estimated=True
        )
        return Answer(text=text, finish_reason=FinishReason.STOP, usage=usage, model=self.name)

    def _split(self, command_line: str) -> tuple[str, ...]:
        try:
            words = tuple(shlex.split(command_line))
        except ValueError as error:
            raise WorkorderError(
                f"can't be split into words: {str(error).lower()}",
                where=f"command:{redact(command_line, self._secrets)}",
                hint="quote it as for a shell",
            ) from error
        if not words:
            raise WorkorderError("names no program", where="command:", hint="write command:PROGRAM ARGS")
        if any(secret in word for secret in self._secrets for word in words):
            raise WorkorderError(
                "the command line holds the value of a secret environment variable, and would be recorded",
                where=f"command:{redact(command_line, self._secrets)}",
                hint="let the program read the variable itself; name it in WORKORDER_COMMAND_ENV",
            )
        return words

    def _answer_text(self, out: Path, err: Path) -> str:
        try:
            data = read_bounded(out, max_bytes=_MAX_ANSWER_BYTES)
        except FileProblem as error:
            raise self._error(f"the program's answer {error.message}") from error
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._error(f"the program's answer is not UTF-8: byte {error.start}") from error
        if not text.strip():
            raise self._error(f"the program printed no answer{self._tail(err)}")
        return text

    def _failure(self, outcome: Outcome, out: Path, err: Path) -> ProviderError:
        if outcome.not_started is not None:
            return self._error(
                f"the program could not be started: {outcome.not_started}",
                hint=f"install `{self._words[0]}`, or give its path",
            )
        said = self._tail(err) or self._tail(out)
        if outcome.timed_out:
            return self._error(
                f"the program gave no answer within {self._timeout_seconds:g} seconds{said}",
                may_be_paid=True,
            )
        if outcome.signal is not None:
            return self._error(f"the program was ended by signal {outcome.signal}{said}", may_be_paid=True)
        return self._error(f"the program failed with exit code {outcome.exit_code}{said}")

    def _tail(self, path: Path) -> str:
        """The last lines of an output file, each indented under the message; empty when there are none."""
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            data = file.read()
        lines = redact(data.decode("utf-8", "replace"), self._secrets).strip().splitlines()[-_TAIL_LINES:]
        text = visible("\n".join(lines))[-_TAIL_CHARS:]
        return "".join(f"\n  | {line}" for line in text.splitlines())

    def _error(self, message: str, *, hint: str = _HINT, may_be_paid: bool = False) -> ProviderError:
        return ProviderError(message, where=f"command:{self.name}", hint=hint, may_be_paid=may_be_paid)
