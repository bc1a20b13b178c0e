"""Makes docs/images/live.svg: what a terminal shows of a build, in its middle and at its end.

    .venv/test/bin/python scripts/pages/picture.py
    .venv/test/bin/python scripts/pages/picture.py --recorded FILE --command 'workorder build …' --name NAME

A real run on a terminal of its own: the demo's specification is compiled and built from the recording in
scripts/demo.d, offline. Times and commit ids are those of the run, so every picture is another one. With
--recorded it is the middle of another build, made of what this wrote to a terminal of 96 columns, as
`script -q` keeps it.
"""

import argparse
import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

CHECKOUT: Final = Path(__file__).resolve().parents[2]
IMAGES: Final = CHECKOUT / "docs" / "images"
DEMO: Final = CHECKOUT / "scripts" / "demo.d"
COLUMNS: Final = 96
LINES: Final = 40
COMMAND: Final = (
    "factory build --repo repo --plan plan --out runs --jobs 2 --mutants 2 --llm replay:recording"
)

_CONTROL: Final = re.compile(r"\x1b\[(\d*)([A-Za-ln-z])|\x1b\[\?25[hl]|[\r\n]")
_LANDED: Final = re.compile(r"(\d+) of (\d+) landed")
_JUDGING: Final = re.compile(r"^ +(?:acceptance|mutant) \d", re.MULTILINE)
# That of rich, without its fonts, which would come from another server.
_FORMAT: Final = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> None:
    """Run the build, or read what it wrote, and write the picture."""
    options = _options()
    if options.recorded is None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            _prepare(root)
            written = _watch(root)
    else:
        # As it is: a carriage return alone is no end of a line.
        written = re.sub(
            r"^Script (?:started|done) .*\n", "", options.recorded.read_bytes().decode(), flags=re.M
        )
    screens = _screens(written)
    middles = [screen for screen in screens if _is_middle(screen)]
    # Several at work, where the plan has any side by side, and commands of its gates.
    middle = max(middles, key=lambda screen: (min(2, _at_work(screen)), _shows_commands(screen)))
    # Of another build the middle alone: its end may be long, and names where that was.
    end = ["…", *_last_board(screens[-1])] if options.recorded is None else []
    shown = [f"$ {options.command}", *middle, *end]
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor")
    console.print(Text.from_ansi("\n".join(shown)))
    title = " ".join(options.command.split()[:2])
    svg = console.export_svg(title=title, code_format=_FORMAT)
    IMAGES.mkdir(exist_ok=True)
    picture = IMAGES / f"{options.name}.svg"
    picture.write_text(re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE), "utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Makes the picture of a build on a terminal.")
    parser.add_argument("--recorded", type=Path, help="what another build wrote to a terminal of 96 columns")
    parser.add_argument("--command", default=COMMAND, help="how that build was called")
    parser.add_argument("--name", default="live", help="the picture's name in docs/images")
    return parser.parse_args()


def _prepare(root: Path) -> None:
    """Put the recording, the plan and an empty repository below `root`."""
    (root / "recording").symlink_to(DEMO / "recording")
    words = [sys.executable, "-P", "-m", "planner", "compile", "--spec", str(DEMO / "spec.md")]
    words += ["--outdir", "plan", "--grain", "fine", "--llm", "replay:recording"]
    subprocess.run(words, cwd=root, env=_environment(), check=True)
    git = ["git", "-c", "user.name=Workorder demo", "-c", "user.email=demo@example.invalid"]
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main", "repo"], cwd=root, check=True)
    commit = ["-C", "repo", "commit", "--quiet", "--allow-empty", "--message", "Start with nothing"]
    subprocess.run([*git, *commit], cwd=root, check=True)
    for name, value in (("user.name", "Workorder demo"), ("user.email", "demo@example.invalid")):
        subprocess.run(["git", "-C", "repo", "config", name, value], cwd=root, check=True)


def _watch(root: Path) -> str:
    """Run the build on a terminal; all that it wrote there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    words = [sys.executable, "-P", "-m", *COMMAND.split()]
    build = subprocess.Popen(words, cwd=root, env=_environment(), stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    written = bytearray()
    while chunk := _read(ours):
        written += chunk
    os.close(ours)
    if build.wait() != 0:
        raise SystemExit(f"error: the build ended with exit code {build.returncode}\n{written.decode()}")
    return written.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:
        # How Linux says that nobody has the other end open any more.
        return b""


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(CHECKOUT), "TERM": "xterm-256color", "COLORTERM": "truecolor"}


def _screens(written: str) -> list[list[str]]:
    """What stood on the terminal each time before something was drawn anew, and at the end.

    Of the terminal's language only what a live display of rich speaks: lines are always written whole.
    """
    lines, row, position = [""], 0, 0
    screens = []
    for control in _CONTROL.finditer(written):
        lines[row] += written[position : control.start()]
        position = control.end()
        count = int(control[1] or 1)
        if control[0] == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif control[2] == "A":
            row -= count
        elif control[2] == "K":
            if row == len(lines) - 1 and any(lines[row]):
                screens.append([line for line in lines if line])
            lines[row] = ""
    lines[row] += written[position:]
    return [*screens, [line for line in lines if line]]


def _is_middle(screen: list[str]) -> bool:
    """Whether a third of the work orders have landed, and another one is being worked on."""
    landed = _LANDED.search(Text.from_ansi("\n".join(screen)).plain)
    return landed is not None and 3 * int(landed[1]) >= int(landed[2]) and _at_work(screen) > 0


def _at_work(screen: list[str]) -> int:
    """How many work orders are being worked on."""
    text = Text.from_ansi("\n".join(screen)).plain
    return len(re.findall(r" (?:testing|generating) +attempt", text))


def _shows_commands(screen: list[str]) -> bool:
    """Whether what is done now is what a plan's command or a mutant is tried for."""
    return bool(_JUDGING.search(Text.from_ansi("\n".join(screen)).plain))


def _last_board(screen: list[str]) -> list[str]:
    """The rows of the work orders, and all that stands below them."""
    start = next(number for number, line in enumerate(screen) if line.startswith("WO-01 "))
    return screen[start:]


if __name__ == "__main__":
    main()
