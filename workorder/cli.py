"""The command line of `workorder`: which commands there are, and whose they are."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.system.terminal.arguments import Commands, Parser, Version
from factory.system.terminal.called import COMMON
from factory.system.terminal.edge import Program, run_program
from factory.system.terminal.exit_code import epilog
from workorder import completion, config, go, init
from workorder.places import keep_spec, plans

_PLAN: Final = "plan"
_GO: Final = "go"
_OF_THE_FACTORY: Final = {
    "build": "execute all work orders of a plan, and land them",
    "run": "execute one work order",
    "status": "tell where a build stands",
    "show": "tell what happened in a run",
    "report": "write down what a build or a run did, as a page",
    "serve": "show builds in a browser, while they go on",
    "hint": "tell the next attempt at a work order something",
    "retry": "try a work order that has failed once more, now",
    "open": "do a work order that has failed by hand, in a worktree of your own",
    "adopt": "take what you did by hand as a work order, if it passes",
    "skip": "leave a work order out, on purpose",
    "reset": "let the next build ask anew for work orders that have not landed",
    "cache": "list or remove kept environments",
    "doctor": "tell what works on this machine",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments without the program's name; None for those of the process.

    Returns:
        The exit code: that of `planner` or `factory` for their commands, else see
        `factory.attempt.exit_codes.ExitCode`.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    if words[:1] == [_PLAN]:
        return _plan(words[1:])
    # Here and there only, and only the one of them: each has imports of its own.
    if words and words[0] in _OF_THE_FACTORY:
        from factory.cli import main as execute

        if words[0] == "serve":
            return execute(words, partial(config.of_all_builds, words), COMMON)
        given = partial(config.given, words, config.PLACES)
        # Another model than the one that is always asked.
        return execute(words, partial(_without, given, "llm") if words[0] == "retry" else given, COMMON)
    # The others of its own take none: what stands in a file must not keep them from working.
    defaults = partial(config.given, words, ()) if words[:1] == [_GO] else dict
    return run_program(Program(parser, EXIT_CODES, "out"), words, defaults)


def _plan(words: Sequence[str]) -> int:
    """A command of the planner; a plan whose place nobody names goes where `workorder go` keeps them."""
    from planner.cli import main as plan

    places: dict[str, str] = {}

    def given() -> Mapping[str, str]:
        places.update(config.of_plans(words))
        return places

    code = plan(words, given, f"{COMMON} {_PLAN}")
    made = Path(places["outdir"]) if "outdir" in places else None
    if code == 0 and made is not None and made in plans(made.parent):
        keep_spec(made, config.spec_of(words))
    return code


def _without(given: Callable[[], Mapping[str, str]], name: str) -> Mapping[str, str]:
    return {other: value for other, value in given().items() if other != name}


def parser() -> Parser:
    """The commands of its own, and the names of the others."""
    top = Parser(
        prog=COMMON,
        description="Compiles a product specification into work orders, and executes them: every commit"
        " planned, scoped, checked and accepted.",
        epilog=epilog(ExitCode),
    )
    top.add_argument("--version", action=Version)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (init, go, config, completion):
        command.add_options(commands)
    # Of its own as it is now: it is filled with what the others have.
    commands.choices["completion"].set_defaults(top=parser)
    _name_others(commands)
    return top


def _name_others(commands: Commands) -> None:
    others = {_PLAN: "make, check, show and revise plans: `workorder plan compile …` is `planner compile …`"}
    for name, purpose in (others | _OF_THE_FACTORY).items():
        commands.add_parser(name, help=purpose)
