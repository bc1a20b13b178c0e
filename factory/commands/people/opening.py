"""`factory open`: a worktree in which a person does by hand what failed."""

import shlex
from argparse import Namespace
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.commands.options import add_named
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console, one_line


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "open",
        help="do a work order that has failed by hand, in a worktree of your own",
        description="Make a worktree and a branch of your own, with what the failed attempt proposed, and a"
        " file that tells what is to be done. Your own checkout stays as it is. `factory adopt` takes what"
        " you did.",
    )
    add_named(command)
    command.add_argument(
        "--at", type=Path, metavar="DIR", help="where the worktree is made (default: OUT/open/WO-NN)"
    )
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Make the worktree; the exit code.

    Raises:
        WorkorderError: there is no such work order, it has landed or is open already, or git failed.
    """
    from factory.commands.composition import attempt_settings
    from factory.commands.people.called import again, order_called_for
    from factory.contract.identity import contract_hash
    from factory.repository.target import target
    from factory.runs.people.worktree import Failed, open_worktree
    from factory.runs.record.tried import latest_asked, named
    from factory.system.clock import SystemClock
    from factory.system.git.client import Git, user_identity

    at = options.at.resolve() if options.at is not None else None
    author = user_identity(Path.cwd())
    known = named(options.named, options.out)
    called = again(known)
    order, plan = order_called_for(known, called)
    git = Git.open(called.options.repo)
    out = called.options.out
    adopt = console.naming(f"factory adopt {order.id} --out {shlex.quote(str(out))}")
    worktree = open_worktree(
        target(git, called.options.branch),
        order,
        plan,
        Failed.latest(latest_asked(out, order.id), contract_hash(order)),
        out=out,
        at=at,
        accepted=frozenset(attempt_settings(called.options).accepted_configuration),
        author=author,
        adopt=adopt,
        now=SystemClock().now,
    )
    lines = [f"{order.id} is yours in {one_line(worktree.opened.place)}, branch {worktree.opened.branch}"]
    lines += [f"  there, as it was proposed, uncommitted: {one_line(path)}" for path in worktree.written]
    lines += [f"  not there: {one_line(why)}" for why in worktree.left_out.values()]
    lines.append(f"  what is to be done: {worktree.brief}")
    lines.append(f"  when it is done: {adopt}")
    console.result("\n".join(lines))
    return ExitCode.PASS
