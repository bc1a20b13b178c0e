"""Reads the documents as their readers do: headings, links, blocks of code, and the commands in these."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FRONT = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
PAGES = sorted([*FRONT, *ROOT.glob("docs/**/*.md")])

_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<content>.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_SPAN = re.compile(r"`([^`\n]+)`")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Shown:
    """A command of a block, and the lines below it, up to the next command."""

    line: str
    output: str

    @property
    def words(self) -> list[list[str]]:
        """The simple commands of the line, without what redirects them or sets variables before them."""
        lexer = shlex.shlex(self.line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        commands: list[list[str]] = [[]]
        for word in lexer:
            if word in (">", "<"):
                next(lexer)
            elif word in ("&&", "|", ";"):
                commands.append([])
            elif commands[-1] or not re.match(r"[A-Z_]+=", word):
                commands[-1].append(word)
        return [command for command in commands if command]


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return _FENCE.sub("", page.read_text("utf-8"))


def links(page: Path) -> list[tuple[str, str]]:
    """The text and the target of each link."""
    return [(link["text"], link["target"]) for link in _LINK.finditer(prose(page))]


def anchors(page: Path) -> set[str]:
    """What a link to a heading of the page may name."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def spans(page: Path) -> list[str]:
    """What stands between backquotes in the text."""
    return _SPAN.findall(prose(page))


def shown_commands(page: Path) -> Iterator[Shown]:
    """The commands of blocks for a shell: all lines of `sh`, those after `$` of `console`."""
    for block in _FENCE.finditer(page.read_text("utf-8")):
        content = block["content"].replace("\\\n", "")
        if block["language"] == "sh":
            yield from (Shown(line, "") for line in content.splitlines())
        elif block["language"] == "console":
            for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
                line, _, output = part.partition("\n")
                yield Shown(line, output)
