"""`factory report`: writes down what a build or a run did, for people who were not there."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from factory.attempt.exit_codes import ExitCode
from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console

if TYPE_CHECKING:
    from factory.report.page.story import Story

_OTHERS: Final = tuple(f"--{name} FILE" for name in ("markdown", "junit", "sarif", "gitlab", "json"))


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "report",
        help="write down what a build or a run did, as a page",
        description="Write down what a build or a run did: a page to read, a summary for a pull request, or"
        " results that CI shows.",
    )
    command.add_argument(
        "place",
        nargs="?",
        type=Path,
        metavar="OUT",
        help="the directory of the build or of runs, or the folder of one run",
    )
    command.add_argument("--out", type=Path, metavar="DIR", help="the same, as other commands have it")
    command.add_argument(
        "--html", type=Path, metavar="FILE", help="one page that needs nothing else, and links the artifacts"
    )
    command.add_argument(
        "--markdown", type=Path, metavar="FILE", help="a summary, such as for a pull request"
    )
    command.add_argument("--junit", type=Path, metavar="FILE", help="each command as a test, in JUnit's XML")
    command.add_argument(
        "--sarif",
        type=Path,
        metavar="FILE",
        help="what the rules found in the plan of a build, or in the work order of a run, as SARIF",
    )
    command.add_argument(
        "--gitlab", type=Path, metavar="FILE", help="the same as a report of GitLab's code quality"
    )
    command.add_argument(
        "--json", type=Path, metavar="FILE", help="how it ended and what it used, for programs"
    )
    command.add_argument(
        "--annotations",
        type=Path,
        metavar="FILE",
        help="the work orders that failed, at most ten, as annotations that GitHub takes from a log",
    )
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Write the files; the exit code.

    Raises:
        WorkorderError: none is asked for, no directory is named, there is nothing to tell, or a file can't be
            written.
    """
    from factory.report.page.findings import write_gitlab, write_sarif
    from factory.report.page.html import ROOM, write_html
    from factory.report.page.junit import write_junit
    from factory.report.page.reading import read_story
    from factory.report.page.result import write_annotations, write_json
    from factory.report.page.summary import write_markdown
    from factory.system.files.tree import write_atomic

    forms: dict[Path | None, Callable[[Story], str]] = {
        options.html: lambda story: write_html(story, options.html),
        options.markdown: write_markdown,
        options.junit: write_junit,
        options.sarif: write_sarif,
        options.gitlab: write_gitlab,
        options.json: write_json,
        options.annotations: write_annotations,
    }
    asked = {file: write for file, write in forms.items() if file is not None}
    if not asked:
        raise WorkorderError(
            "no file is named",
            where="report",
            hint=f"--html FILE, {', '.join(_OTHERS)} or --annotations FILE",
        )
    place = options.out if options.place is None else options.place
    if place is None:
        raise WorkorderError("no directory is named", where="report", hint="factory report OUT --html FILE")
    story = read_story(place, ROOM)
    # All of them first: nothing is written if one of them can't be.
    texts = {file: write(story) for file, write in asked.items()}
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, text.encode("utf-8", "backslashreplace"))
        console.result(f"written: {file}")
    return ExitCode.PASS
