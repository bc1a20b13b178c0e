"""Shell syntax in a command.

## What it finds

In a command that is not quoted as an argument: operators (`&&`, `||`, `|`, `;`, `&`, a line break),
redirections (`>`, `<`, `2>&1`), substitutions (`$(…)`, backticks), variables (`$HOME`), `~`, a leading
assignment (`X=1 program`), and shell built-ins as the program (`cd`, `export`, `source`). Quoted or not, a
pattern of file names for a program that takes names alone (`pytest tests/test_*.py`, `grep word src/*.py`).
In the text that a command hands to a shell (`bash -c "…"`), what hides the failure of a program: `;`, `||`,
`&`, a line break. Only `factory run` and `factory build` leave that text to its shell; they stop at what no
shell reads.

## Why it matters

Commands are split into words and started directly, without a shell. `a && b` would start `a` with the
arguments `&&` and `b`. `a; b` in a shell succeeds when `b` does, whatever became of `a`.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py | grep Hello"]
    }
  ]
}
```

## Fix

Write one program with its arguments a command, and several commands instead of `&&`. Set variables with
`env X=1 program`. Check output with a test, or with `python -c "…"`. Put a character that is meant literally
into single quotes: `grep -E 'a|b' file`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from factory.plans.commands.code.uses import outright
from factory.plans.commands.installed import BUILT_INS
from factory.plans.commands.interpreters import ASSIGNMENT, python_run
from factory.plans.commands.node_code import evaluated
from factory.plans.commands.operands import patterns
from factory.plans.commands.programs import Reading
from factory.plans.commands.words import Word
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject

_OPERATOR: Final = re.compile(r"&&|\|\||[;&|`]|[0-9]*(?:>>|>&|&>|<<<|<<|<|>)(?:&?[0-9-]+)?")
_VARIABLE: Final = re.compile(r"\$(?:[A-Za-z_{(]|[0-9@*#?$!-](?=$|\W))")
_IN_DOUBLE_QUOTES: Final = re.compile(r"\$[A-Za-z_{(]|`")

_NO_SESSION: Final = (
    "every command starts anew in the repository's root: name paths from there, and set variables with"
    " `env X=1 program`"
)
_HARMLESS: Final = frozenset({"do", "else", "export", "for", "set", "shopt", "then", "umask"})
"""What may stand before a semicolon: it does not fail, or is no command of its own."""

_STOPS: Final = re.compile(r"-[a-z]*e[a-z]*|errexit")
_NAMES: Final = "name the files one by one, or a directory where the program takes one"
_ONE_PROGRAM: Final = (
    "commands run without a shell: write one program with its arguments a command; put a character that is"
    " meant literally into single quotes"
)


def find(subject: Subject) -> Iterator[Finding]:
    """Judge the words of each command, and of each text that it hands to a shell."""
    for command in subject.commands:
        if command.reading is None:
            continue
        problems = dict(_problems(command.reading, in_shells=subject.judges_shell_texts))
        yield from (Finding(command.pointer, message, hint) for message, hint in problems.items())


def _problems(reading: Reading, *, in_shells: bool) -> Iterator[tuple[str, str]]:
    codes = reading.scripts | {
        evaluated(invocation.arguments) or python_run(invocation.arguments).target
        for invocation in reading.invocations
        if invocation.code is not None
    }
    for words in reading.shell_texts if in_shells else ():
        yield from _hidden(words)
    for words in reading.texts:
        if words and ASSIGNMENT.match(words[0].bare):
            yield (
                f"{quote(words[0].text)} before the program is an assignment of a shell",
                f"write `env {words[0].text.partition('=')[0]}=… program`",
            )
        # Of the operators one is enough: what stands behind the first one is often part of the same mistake.
        yield from next(([problem] for word in words if (problem := _operator(word))), [])
        yield from next(([problem] for word in words if (problem := _substitution(word, codes))), [])
    program = outright(reading)
    for pattern in patterns(program) if program is not None else ():
        yield f"{quote(pattern)} would be a list of files only in a shell", _NAMES
    for invocation in reading.invocations:
        if invocation.program in BUILT_INS and not invocation.in_shell:
            yield (
                f"{quote(invocation.program)} is built into shells and is not a program",
                _NO_SESSION,
            )


def _hidden(words: Sequence[Word]) -> Iterator[tuple[str, str]]:
    """The first that hides a failure, if something stands before it that may fail."""
    before: list[str] = []
    stops = False
    for word in words:
        problem = _hiding(word)
        if problem is None:
            before.append(word.text)
            continue
        command = [*before, word.text.rstrip(";")]
        stops = stops or (command[0] == "set" and any(_STOPS.fullmatch(option) for option in command[1:]))
        if not word.text.endswith(";") or not (
            stops or command[0] in _HARMLESS or ASSIGNMENT.match(command[0])
        ):
            yield problem
            return
        before = []


def _hiding(word: Word) -> tuple[str, str] | None:
    """What hides, in a text for a shell, that a program of it failed."""
    if word.breaks_line:
        return "a line break hides the failure of what stands before it", _ONE_PROGRAM
    operator = re.search(r"\|\||;|(?<![&>])&(?![&>])", word.bare)
    if operator is None:
        return None
    return f"{quote(operator.group())} hides the failure of what stands before it", _ONE_PROGRAM


def _operator(word: Word) -> tuple[str, str] | None:
    if word.breaks_line:
        return (
            "a line break separates commands only in a shell",
            "write each command as an element of its own",
        )
    operator = _OPERATOR.search(word.bare)
    if operator is not None:
        place = "" if operator.group() == word.text else f" in {quote(word.text)}"
        return f"{quote(operator.group())}{place} is an operator of a shell", _ONE_PROGRAM
    if word.bare.startswith("("):
        return f"{quote(word.text)} opens a subshell", _ONE_PROGRAM
    return None


def _substitution(word: Word, codes: frozenset[str]) -> tuple[str, str] | None:
    bare = word.bare
    # Quoted code is meant for Python or Node, and of a shell for that, whichever quotes are around it.
    quoted = "" if word.text in codes else word.substitutable
    if _VARIABLE.search(bare) or _IN_DOUBLE_QUOTES.search(quoted):
        return (
            f"{quote(word.text)} would be substituted only by a shell",
            "write the value itself; put a character that is meant literally into single quotes",
        )
    if bare.startswith("~"):
        return (
            f"{quote(word.text)} would be a home directory only in a shell",
            "name a path of the repository",
        )
    return None


RULE = Rule("E003", "shell-syntax", Severity.ERROR, explanation=__doc__, find=find)
