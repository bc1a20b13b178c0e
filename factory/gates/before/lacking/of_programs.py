"""What shells, `env` and the like, make and npm say that they lack: a program, a script or a target."""

import re
from collections.abc import Sequence
from typing import Final

from factory.contract.work_order import WorkOrder
from factory.gates.before.lacking.brought import is_brought, is_written, words
from factory.gates.check import CheckContext, CommandResult

CANNOT_EXECUTE: Final = (126, 127)
"""The exit codes of a shell, and of `env` and the like, for a program that is not executable or not there."""

_NOT_THERE: Final = re.compile(
    r"""(?:.*[\s'":])?(?P<what>[^\s'":]+)['"]?: """
    r"(?:No such file or directory|(?:command )?not found|Permission denied|Is a directory|cannot execute.*)"
)
"""What a shell, and `env` and the like, say of a program or a script that they can't start."""

_NO_PROGRAM_IN_SHELL: Final = re.compile(
    r"(?:[^:\n]*/)?(?:ba|da|z|k)?sh: (?:line )?\d+: (?P<program>[\w.+-]+): (?:command )?not found"
)
_NO_PROGRAM_IN_MAKE: Final = re.compile(r"make(?:\[\d+\])?: \*\*\* \[.*\] Error 12[67]")
_NO_SCRIPT_IN_NPM: Final = re.compile(r"npm (?:error|ERR!) Missing script: \"(?P<script>[^\"\n]+)\"(?:\n|$)")
_CHANGES_PACKAGE: Final = re.compile(r"\bpackage\.json\b|\b(?:init|create|pkg|set-script)\b")
_GIVES_UP: Final = re.compile(r"\|\|\s*(?:exit\s+[1-9]\d*|false|return\s+[1-9]\d*)\b")
_GOES_ON: Final = re.compile(r"\|\||[;\n!]|\b(?:if|while|until|command|which|type)\b")
"""In the text of a shell: what may let it pass although one of its programs is not there."""


def lacking_for_programs(
    result: CommandResult, order: WorkOrder, context: CheckContext, earlier: Sequence[str]
) -> str:
    """Which program nobody can bring that another wants to start; empty if none. See `reasons.lacking`."""
    lines = result.excerpt.rstrip().split("\n")
    in_shell = _NO_PROGRAM_IN_SHELL.fullmatch(lines[-1])
    if result.exit_code in CANNOT_EXECUTE:
        return _cannot_execute(result, order, lines[-1], earlier)
    if in_shell is not None:
        program = in_shell["program"]
        texts = [word for word in result.argv if program in words([word])]
        # A shell may go on without a program, and pass.
        if not texts or any(_GOES_ON.search(_GIVES_UP.sub("", text)) for text in texts):
            return ""
        if is_brought(program, order, earlier):
            return ""
        return f"a shell that it starts has no program `{program}`"
    if _NO_PROGRAM_IN_MAKE.fullmatch(lines[-1]) and not is_written("Makefile", order):
        named = [match["what"] for line in lines if (match := _NOT_THERE.fullmatch(line))]
        if named and not any(is_brought(name, order, earlier) for name in named):
            return f"make has no program `{named[0]}` to start"
    return _unwritten_script(result, order, earlier)


def _unwritten_script(result: CommandResult, order: WorkOrder, earlier: Sequence[str]) -> str:
    """Which script of `package.json` nobody can write that the command tells npm to run; empty if none."""
    missing = _NO_SCRIPT_IN_NPM.match(result.excerpt.lstrip())
    if missing is None or result.argv[:1] != ("npm",) or is_written("package.json", order):
        return ""
    if any(_CHANGES_PACKAGE.search(command) for command in earlier):
        return ""
    return f"`package.json` has no script `{missing['script']}`, and the work order can't write one"


def _cannot_execute(result: CommandResult, order: WorkOrder, last: str, earlier: Sequence[str]) -> str:
    missing = _NOT_THERE.fullmatch(last)
    # A word of the command may hold blanks.
    shown = [word for word in result.argv if word in last]
    named = [missing["what"], *shown] if missing is not None else words([result.command])
    if any(is_brought(name, order, earlier) for name in named):
        return ""
    return f"it returned {result.exit_code}: something that it starts is not there or not executable"
