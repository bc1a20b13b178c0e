"""Writes the parts of the documents that follow from the code, or says which of them are stale.

    .venv/test/bin/python scripts/pages/documents.py [--check] [--root DIR]

A part stands between a line that names it and one that ends it: `<!-- generated: NAME -->` and
`<!-- end -->`, in YAML `# generated: NAME` and `# end`. The page of each code is written as a whole.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path
from typing import Final

from file_tables import file_table
from language_table import language_table
from option_tables import cell, option_table

import factory.attempt.exit_codes
import planner.compile.exit_codes
from factory.system.terminal.exit_code import exit_code_rows
from planner.check.explain import page
from planner.rules.table import RULES

CHECKOUT: Final = Path(__file__).resolve().parents[2]

_PART: Final = re.compile(
    r"^(?P<begin>(?P<indent> *)"
    r"(?:<!-- generated: (?P<in_page>[^\n]+?) -->|# generated: (?P<in_yaml>[^\n]+))\n)"
    r".*?"
    r"^(?P<end> *(?:<!-- end -->|# end)\n)",
    re.DOTALL | re.MULTILINE,
)
_NOTE: Final = "<!-- Written by scripts/docs from the rule's own documentation. -->\n\n"


def main() -> int:
    """Write or compare; the exit code is 1 if something is stale and was only to be compared."""
    parser = argparse.ArgumentParser(
        description="Writes the parts of the documents that follow from the code."
    )
    parser.add_argument("--check", action="store_true", help="only say what is stale")
    parser.add_argument("--root", type=Path, default=CHECKOUT, metavar="DIR", help="where the documents are")
    options = parser.parse_args()
    stale = {path: text for path, text in _documents(options.root).items() if _present(path) != text}
    for path, text in stale.items():
        print(f"{'stale' if options.check else 'written'}: {path.relative_to(options.root)}")
        if not options.check:
            _write(path, text)
    return 1 if stale and options.check else 0


def _documents(root: Path) -> dict[Path, str | None]:
    """What each generated file, and each with a generated part, shall hold; None for nothing at all."""
    codes = {root / "docs" / "codes" / f"{rule.code}.md": _NOTE + page(rule) + "\n" for rule in RULES}
    surplus = [path for path in (root / "docs" / "codes").glob("[EW]*.md") if path not in codes]
    mixed = sorted({*root.glob("*.md"), *root.glob("docs/**/*.md"), root / "mkdocs.yml"} - {*codes, *surplus})
    return {
        **codes,
        **dict.fromkeys(surplus),
        **{path: _with_parts(path.read_text("utf-8"), root) for path in mixed},
    }


def _with_parts(text: str, root: Path) -> str:
    def written(part: re.Match[str]) -> str:
        content = _part(part["in_page"] or part["in_yaml"], root)
        blank = "\n" if part["in_page"] else ""
        return f"{part['begin']}{blank}{textwrap.indent(content, part['indent'])}\n{blank}{part['end']}"

    return _PART.sub(written, text)


def _part(name: str, root: Path) -> str:
    match name.split():
        case ["options", program, command]:
            return option_table(program, command)
        case ["options", program, command, "beyond", other, its_command]:
            return option_table(program, command, (other, its_command))
        case ["exit-codes", "planner"]:
            return _exit_code_table(exit_code_rows(planner.compile.exit_codes.ExitCode))
        case ["exit-codes", "factory"]:
            return _exit_code_table(exit_code_rows(factory.attempt.exit_codes.ExitCode))
        case ["files", "run" | "build" | "compile" as of]:
            return file_table(of)
        case ["languages"]:
            return language_table()
        case ["codes"]:
            return _code_table()
        case ["decisions"]:
            return "\n".join(f"- {path.name[:4]} [{title}]({path.name})" for path, title in _decisions(root))
        case ["nav", "codes"]:
            return "\n".join(f"- {rule.code}: codes/{rule.code}.md" for rule in RULES)
        case ["nav", "decisions"]:
            return "\n".join(f"- decisions/{path.name}" for path, _title in _decisions(root))
        case _:
            raise SystemExit(f"error: nobody knows how to generate `{name}`")


def _exit_code_table(rows: list[tuple[int, str, str]]) -> str:
    lines = ["| exit code | meaning | who acts |", "|---|---|---|"]
    lines += [f"| {code} | {cell(meaning)} | {cell(who)} |" for code, meaning, who in rows]
    return "\n".join(lines)


def _code_table() -> str:
    lines = ["| code | name | finding |", "|---|---|---|"]
    for rule in RULES:
        finding = cell(rule.explanation.strip().partition("\n\n")[0].replace("\n", " "))
        lines.append(f"| [{rule.code}]({rule.code}.md) | `{rule.name}` | {finding} |")
    return "\n".join(lines)


def _decisions(root: Path) -> list[tuple[Path, str]]:
    pages = sorted((root / "docs" / "decisions").glob("[0-9]*.md"))
    return [(path, path.read_text("utf-8").partition("\n")[0].removeprefix("# ")) for path in pages]


def _present(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None


def _write(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
