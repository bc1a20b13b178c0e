"""`factory doctor`: tells what works on this machine, and how to mend what does not."""

import os
from argparse import Namespace
from pathlib import Path

from factory.commands.options import add_project, add_sandbox
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "doctor",
        help="tell what works on this machine, and how to mend what does not",
        description="Tell what works on this machine, and how to mend what does not; exit code 1 if a run"
        " would be refused. Attacks the sandbox from inside, which must fail.",
    )
    add_sandbox(command)
    command.add_argument(
        "--repo",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the root of the git repository whose languages and services are looked for (default: the"
        " current directory)",
    )
    add_project(command)
    command.add_argument("--json", action="store_true", help="print the findings as JSON")
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Look at the machine, and attack the sandbox from inside."""
    import json

    from factory.commands.composition import project_named
    from factory.commands.diagnosis.diagnose import as_json, as_text, diagnose

    diagnosis = diagnose(
        os.environ,
        requested=options.sandbox,
        allow_unsandboxed=options.allow_unsandboxed,
        repo=options.repo,
        project=project_named(options.project),
    )
    if options.json:
        console.result(json.dumps(as_json(diagnosis), indent=2, sort_keys=True))
    else:
        console.result(as_text(diagnosis))
    return diagnosis.exit_code
