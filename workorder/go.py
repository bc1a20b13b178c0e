"""`workorder go`: from a specification to a finished branch, by the script that does it step by step."""

import os
import sys
from argparse import Namespace
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.system.templates import template_path
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console

_SCRIPT: Final = "spec-to-repo"
_DIGITS: Final = 12
_MODEL: Final = "WORKORDER_LLM"
_HANDED_ON: Final[Mapping[str, tuple[str, str]]] = {
    "rounds": ("N", "how often a plan may be repaired (default: 3)"),
    "jobs": ("N", "how many work orders are executed at a time (default: 2)"),
    "knowledge": ("DIR", "notes for the model: the Markdown files below a directory"),
    "max-cost-usd": ("X", "what all answers together may cost"),
    "max-tokens": ("N", "how many tokens all answers together may take"),
    "price": ("IN,OUT", "what a million tokens cost, in US dollars"),
}


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "go",
        help="from a specification to a finished branch",
        description="Compile a specification, build it, and revise the plan where it turns out to be wrong,"
        " until all has landed. Called again after the specification has changed, it builds what is new.",
    )
    command.add_argument("spec", type=Path, metavar="SPEC", help="the specification")
    command.add_argument(
        "--repo",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the git repository, with a first commit (default: the current one)",
    )
    command.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where plans, artifacts and answers go (default: a directory for the repository among the user's"
        " state)",
    )
    command.add_argument(
        "--llm", default=os.environ.get(_MODEL), metavar="MODEL", help=f"who is asked (default: {_MODEL})"
    )
    for name, (metavar, purpose) in _HANDED_ON.items():
        command.add_argument(f"--{name}", metavar=metavar, help=purpose)
    command.add_argument(
        "--allow-config",
        action="append",
        default=[],
        metavar="FILE",
        help="a file of your configuration that work orders may change; may be repeated",
    )
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Become the script.

    Raises:
        WorkorderError: no model is named, or there is no such repository.
    """
    if not options.llm:
        raise WorkorderError(
            "no model is named",
            where="--llm",
            hint=f"give it, or set {_MODEL}; docs/models.md has a line for each",
        )
    repo = _top(options.repo)
    out = options.out if options.out is not None else state_of(repo)
    console.progress(f"repository {repo}, everything else in {out}")
    words = ["bash", str(_script()), "--spec", str(options.spec), "--repo", str(repo), "--dir", str(out)]
    words += ["--llm", options.llm, "--python", sys.executable]
    for name in _HANDED_ON:
        value = getattr(options, name.replace("-", "_"))
        words += [] if value is None else [f"--{name}", value]
    for file in options.allow_config:
        words += ["--allow-config", file]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvp(words[0], words)  # noqa: S606, it is to take our place


def state_of(repo: Path) -> Path:
    """Where a repository's plans and artifacts go by default: by its name, and the hash of its place."""
    # Slow to import, and only here.
    from platformdirs import PlatformDirs

    place = repo.resolve()
    name = f"{place.name}-{sha256(os.fsencode(place)).hexdigest()[:_DIGITS]}"
    return PlatformDirs("workorder", appauthor=False).user_state_path / name


def _top(place: Path) -> Path:
    """The root of the repository that a directory lies in."""
    for folder in (place.resolve(), *place.resolve().parents):
        if (folder / ".git").exists():
            return folder
    raise WorkorderError(
        "is in no git repository",
        where=str(place.resolve()),
        hint="git init, and a first commit: or name one with --repo",
    )


def _script() -> Path:
    in_checkout = Path(__file__).resolve().parent.parent / "scripts" / _SCRIPT
    return in_checkout if in_checkout.is_file() else template_path(_SCRIPT)
