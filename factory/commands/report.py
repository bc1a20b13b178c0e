"""`factory report`: writes down what a build or a run did, for people who were not there."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from factory.attempt.exit_codes import ExitCode
from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console

if TYPE_CHECKING:
    from factory.report.page.story import Story


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "report",
        help="write down what a build or a run did, as a page",
        description="Write down what a build or a run did: a page to read, a summary for a pull request, or"
        " results that CI shows.",
    )
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="the directory of the build or of runs, or the folder of one run",
    )
    command.add_argument(
        "--html", type=Path, metavar="FILE", help="one page that needs nothing else, and links the artifacts"
    )
    command.add_argument(
        "--markdown", type=Path, metavar="FILE", help="a summary, such as for a pull request"
    )
    command.add_argument("--junit", type=Path, metavar="FILE", help="each command as a test, in JUnit's XML")
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Write the files; the exit code.

    Raises:
        WorkorderError: none is asked for, there is nothing to tell, or a file can't be written.
    """
    from factory.report.page.html import MOST_CHARACTERS, write_html
    from factory.report.page.junit import write_junit
    from factory.report.page.story import read_story
    from factory.report.page.summary import write_markdown
    from factory.system.files.tree import write_atomic

    forms: dict[Path | None, Callable[[Story], str]] = {
        options.html: lambda story: write_html(story, options.html),
        options.markdown: write_markdown,
        options.junit: write_junit,
    }
    asked = {file: write for file, write in forms.items() if file is not None}
    if not asked:
        raise WorkorderError(
            "no file is named", where="report", hint="--html FILE, --markdown FILE or --junit FILE"
        )
    story = read_story(options.out, MOST_CHARACTERS)
    for file, write in asked.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, write(story).encode("utf-8", "backslashreplace"))
        console.result(f"written: {file}")
    return ExitCode.PASS
