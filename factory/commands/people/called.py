"""A command line that is carried out once more: how `build` and `run` were called, read again."""

import os
import shlex
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from factory.commands import build, run
from factory.commands.composition import project_named
from factory.contract.errors import WorkorderError
from factory.contract.work_order import Plan, WorkOrder
from factory.runs.read_plan import load_plan, load_work_order, order_of, plan_beside
from factory.runs.record.call import Command, last_call
from factory.runs.record.tried import Named
from factory.system.terminal.arguments import Parser, with_defaults
from factory.system.terminal.console import Console, one_line


@dataclass(frozen=True)
class Again:
    """A call as it is carried out once more.

    Attributes:
        command: which command it was.
        options: what it was given; paths in it are relative to the directory that is the current one now.
        line: its command line, as a person gives it from where they are.
    """

    command: Command
    options: Namespace
    line: str

    def retry(self, work_order: str, console: Console) -> int:
        """Carry it out, with no other work order tried anew of those that have failed; the exit code."""
        if self.command == "build":
            return build.run(self.options, console, retried=work_order)
        return run.run(self.options, console)


def again(named: Named) -> Again:
    """The call that asked for a work order last. Its directory becomes the current one.

    Args:
        named: the work order.

    Raises:
        WorkorderError: it is not known, or its directory is gone.
    """
    out = named.out.resolve()
    call = last_call(out, named.latest)
    if call is None:
        raise WorkorderError(
            f"does not tell how {named.work_order} was built or run: that is kept when a build or a run ends"
            " whose command line holds no key",
            where=str(named.out),
            hint="build, or run, it once more",
        )
    before = Path.cwd()
    try:
        os.chdir(call.folder)
    except OSError as error:
        raise WorkorderError(
            "the directory that it was built from can't be entered",
            where=call.folder,
            hint="build, or run, it once more, from another one",
        ) from error
    parser = Parser(prog="factory")
    commands = parser.add_subparsers(dest="command", required=True)
    for command in (build, run):
        command.add_options(commands)
    with_defaults(parser, call.defaults)
    options = parser.parse_args(call.words)
    options.words, options.defaults = call.words, call.defaults
    # However it was named then.
    options.out = out
    there = "" if before == Path.cwd() else f"cd {shlex.quote(call.folder)} && "
    # Without what `workorder` knows, `factory` would not understand the same words.
    program = "workorder" if call.defaults else "factory"
    return Again(call.command, options, one_line(f"{there}{program} {shlex.join(call.words)}"))


def order_called_for(named: Named, called: Again) -> tuple[WorkOrder, Plan | None]:
    """A work order as the build or run that was called reads it, and its plan; None if there is none at hand.

    Raises:
        WorkorderError: the plan or the work order can't be read, or it is not there any more.
    """
    options = called.options
    alone = project_named(options.project)
    if called.command == "build":
        whole = load_plan(options.plan).in_project(alone)
        return order_of(whole, named.work_order, options.plan), whole
    order = load_work_order(options.work_order)
    plan = plan_beside(options.work_order, order)
    return order.in_project(alone), plan.in_project(alone) if plan is not None else None
