"""`factory cache`: lists the environments that are kept, and removes those that are not used any more."""

import math
import os
import time
from argparse import Namespace
from typing import Final

from factory.attempt.exit_codes import ExitCode
from factory.system.terminal.arguments import Commands, whole
from factory.system.terminal.console import Console

_DAYS: Final = 30
_DAY: Final = 86_400.0


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "cache",
        help="list the environments that are kept, or remove those that are not used any more",
        description="Packages and interpreters of projects are kept in the cache directory, see"
        " WORKORDER_CACHE_DIR. What is removed is made again when a build needs it; what a run or a build"
        " uses at this moment stays.",
    )
    command.add_argument("act", choices=("list", "prune"), metavar="list|prune", help="what to do")
    chosen = command.add_mutually_exclusive_group()
    chosen.add_argument(
        "--older-than",
        type=whole,
        default=_DAYS,
        metavar="DAYS",
        help=f"prune: what was not used for so many days (default: {_DAYS})",
    )
    chosen.add_argument("--all", action="store_true", help="prune: everything that is not in use")
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """List or prune."""
    from factory.environments.provide import environments_in
    from factory.report.cache import render_entries, render_pruned

    cache = environments_in(os.environ)
    if options.act == "list":
        entries = cache.entries()
        console.result(render_entries(cache.folder, entries, [entry.size() for entry in entries]))
        return ExitCode.PASS
    unused_since = math.inf if options.all else time.time() - options.older_than * _DAY
    console.result(render_pruned(*cache.prune(unused_since)))
    return ExitCode.PASS
