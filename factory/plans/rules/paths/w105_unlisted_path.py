"""An intent that speaks of a file which is in no list.

## What it finds

A path in an intent that is none of the work order's files (allowed, context, forbidden, conditions), that no
work order of the plan writes and that the repository does not have. Either it lies beside the product's
sources (`tally/stopwords.txt`), or its suffix is that of a source or of settings and the sentence tells to
write or to read it ("is read from `config/board.toml`"), or it holds data (`.json`, `.csv`, `.md`, `.txt` and
the like) and the sentence begins by telling to make it ("Create `data/results.json`", "Write the results to
`data/results.json`") or says that it is read from there, or that a test
reads it. "It writes `out/report.json`" tells of data that the
product makes when it runs, and so does whatever a command of the work order names. What lies where builds put
their results (`dist/`, `build/`, `target/` and the like), if no file of the plan or the repository is there,
is made by a tool. Sentences with examples, or about what is not there, are left alone, and so are files
without a directory.

## Why it matters

The implementer may write allowed files only. What the intent wants written besides fails the attempt; what it
wants read is not there.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Write `hello/main.py`, and the words to `hello/words.py`.",
      "postconditions": [{"kind": "file_exists", "path": "hello/main.py"}],
      "allowed_files": ["hello/main.py"],
      "acceptance_commands": ["python hello/main.py"]
    }
  ]
}
```

## Fix

Add the file to `allowed_files`, with a postcondition, or let an earlier work order make it and add it to
`context_files`; or leave it out of the intent. Of data that the product makes say so: "at run time", or "It
writes …".
"""

import re
from collections.abc import Iterator
from typing import Final

from factory.contract.work_order import WorkOrder
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject

_SUFFIXES: Final = frozenset({
    "c", "cc", "cfg", "cpp", "cs", "css", "go", "h", "hpp", "html", "ini", "java", "js", "jsx", "kt", "mjs",
    "php", "py", "pyi", "rb", "rs", "scss", "sh", "sql", "swift", "toml", "ts", "tsx", "vue", "yaml", "yml",
})  # fmt: skip
"""Of sources and settings."""

_DATA: Final = frozenset({"csv", "json", "jsonl", "md", "rst", "tsv", "txt", "xml"})
_SOURCES: Final = frozenset({"go", "js", "jsx", "mjs", "py", "rb", "rs", "ts", "tsx"})
_IMPORTED_AS: Final = (("ts", "js"), ("tsx", "js"), ("tsx", "jsx"), ("mts", "mjs"), ("cts", "cjs"))
"""How modules of ECMAScript name those that a compiler makes."""
_PATH: Final = re.compile(
    r"(?<![\w./~:<>*$%{}@\\-])(?:[\w.-]+/)+[\w.-]*\w\.(?P<suffix>[A-Za-z]{1,5})(?![\w/*<>{}(-])"
)
_CODE: Final = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"")
_SENTENCE: Final = re.compile(r"(?<=[.;!?])\s+|\n+")
_TELLING: Final = re.compile(
    r"\b(?:writ(?:e|es|ten|ing)|creat\w+|add(?:s|ed|ing)?|extend\w*|chang\w+|updat\w+|read(?:s|ing)?|us(?:e|es|ed|ing)"
    r"|import\w*|mov(?:e|es|ed|ing)|put|register\w*|edit\w*|modif\w+|implement\w*|defin\w+|load\w*|kept|keep\w*|mention\w*|describ\w+|document(?:s|ed|ing)?|explain\w*)\b",
    re.IGNORECASE,
)
_MAKE: Final = (
    r"(?:create|add|write|put|save|store|commit|provide|include|copy|move|generate|make|update|extend|edit)"
)
_TOLD_TO_MAKE: Final = re.compile(
    rf"\W*(?:(?:also|then|finally|next),?\s+)?{_MAKE}\s+"
    # The file itself, or one of a list of files; or what goes into it.
    r"(?:(?:(?:an?|the|new|empty|files?)\s+)*(?:\0\s*(?:,|,?\s*and)\s+)*"
    r"|(?:(?!\b(?:that|which|who|and|so|to|into|function|class|command|method|program|script|module|test)\b)"
    r"[^,:;()\0])*\b(?:to|into)\s+(?:(?:an?|the|new|files?)\s+)*)",
    re.IGNORECASE,
)
"""The beginning of a sentence, with a NUL for each path, up to data that the engineer is told to make."""

_MADE_OUTRIGHT: Final = re.compile(
    r"(?:^\W*(?:create|add|write)\s+(?:(?:an?|the|new|empty|file)\s+)*|\bwith\s+(?:an?\s+)?(?:empty|new)\s+)"
    r"(?P<path>(?:[\w.-]+/)*[\w.-]*\w\.(?P<suffix>mod|[A-Za-z]{1,5}))(?![\w/*<>{}(-])",
    re.IGNORECASE,
)
"""A source or settings whose making is the sentence's first demand, or that something is made with."""

_TOLD_TO_TELL: Final = re.compile(
    r"\W*(?:(?:also|then|finally|next),?\s+)?(?:mention|describe|document|explain|list|note|record)\b[^,:;\0]*"
    r"\bin\s+(?:(?:the|files?)\s+)*",
    re.IGNORECASE,
)
"""The same, up to a document in which something is to be said."""

_READ_FROM: Final = re.compile(
    r"\b(?:come|comes|is|are) (?:read|loaded|taken) from\s+(?:the\s+)?(?:file\s+)?$", re.IGNORECASE
)
"""The beginning of a sentence, up to data that the product reads where it lies."""

_READ_BY_TESTS: Final = re.compile(
    r"\btests?\b.*\b(?:go(?:es)? through|loads?|opens?|reads?|takes?)\b", re.IGNORECASE
)
"""Words of sentences that speak of what tests need, which somebody must write."""

_ASIDE: Final = re.compile(
    r"\b(?:e\.g\.|i\.e\.|for example|for instance|such as|(?<!one )(?<!an )example|like|missing|absent|not"
    r"|never|no|nor|without|unless|instead|rather|none|nothing|does ?n['\u2019]t|may|might|could|would|if"
    r"|when|run ?time|temporary|generated?|pytest|tmp_path|fixtures?|user['\u2019]?s?|given|argument"
    r"|FILE|PATH)\b",
    re.IGNORECASE,
)
"""Words of sentences that may speak of files which nobody is to write."""

_NAMED_FILE: Final = re.compile(r"\bfiles?\s+(?=\0)", re.IGNORECASE)
"""A file whose path follows, which is no stand-in for others."""


def find(subject: Subject) -> Iterator[Finding]:
    """Look up each path of each intent."""
    if subject.writers is None:
        return
    known = _Known(subject.writers.paths)
    for placed in subject.orders:
        if not placed.order.declares_conditions:
            continue
        commands = "\n".join(placed.order.acceptance_commands)
        for path, is_data in dict.fromkeys(_wanted(placed.order.intent, known)):
            is_made = subject.writers.is_made_by_tools(path) or (is_data and path in commands)
            if not is_made and not _is_listed(placed.order, path):
                yield Finding(
                    f"{placed.pointer}/intent",
                    f"the intent speaks of {quote(path)}, which is in no list and which nobody makes",
                    "add it to allowed_files, let an earlier work order make it, or leave it out",
                )


class _Known:
    """The files of a plan and its repository, by their ends, and the directories that hold sources."""

    def __init__(self, paths: frozenset[str]) -> None:
        self.ends: set[str] = set()
        self.folders: set[str] = set()
        self.tops = {path.partition("/")[0] for path in paths if "/" in path}
        for path in _with_compiled(paths):
            folder, _, name = path.rpartition("/")
            if name.rpartition(".")[2] in _SOURCES and not name.startswith("test_"):
                self.folders.add(folder)
            parts = path.split("/")
            for end in range(1, len(parts) + 1):
                self.ends.update("/".join(parts[start:end]) for start in range(end))


def _with_compiled(paths: frozenset[str]) -> Iterator[str]:
    """The files, and what imports call those of TypeScript: `slug.js` is `slug.ts`."""
    for path in paths:
        yield path
        stem, _, suffix = path.rpartition(".")
        yield from (f"{stem}.{compiled}" for source, compiled in _IMPORTED_AS if suffix == source)


def _wanted(intent: str, known: _Known) -> Iterator[tuple[str, bool]]:
    """The paths that an intent wants written or read and that nobody makes; and whether that is data, which
    commands may make."""
    for sentence in _SENTENCE.split(intent):
        # A command, or words that a program prints, are no file.
        text = _CODE.sub(lambda found: " " if " " in found[0] else f" {found[0][1:-1]} ", sentence)
        for found in _MADE_OUTRIGHT.finditer(text):
            path = found["path"].removeprefix("./")
            if (
                found["suffix"].lower() in _SUFFIXES | {"mod"}
                and path not in known.ends
                and "../" not in path
            ):
                yield path, False
        if _ASIDE.search(_NAMED_FILE.sub("", _PATH.sub("\0", text))):
            continue
        for found in _PATH.finditer(text):
            path, suffix = found[0].removeprefix("./"), found["suffix"].lower()
            if path in known.ends or "../" in path:
                continue
            is_beside = path.rpartition("/")[0] in known.folders and suffix in _SUFFIXES | _DATA
            is_needed = path.partition("/")[0] in known.tops and _READ_BY_TESTS.search(text)
            if (
                is_beside
                or (suffix in _SUFFIXES and _TELLING.search(text))
                or (suffix in _DATA and is_needed)
            ):
                yield path, False
            elif suffix in _DATA:
                before = _PATH.sub("\0", text[: found.start()])
                if _TOLD_TO_MAKE.fullmatch(before) or _TOLD_TO_TELL.fullmatch(before):
                    yield path, True
                elif _READ_FROM.search(before):
                    yield path, False


def _is_listed(order: WorkOrder, path: str) -> bool:
    """Whether a work order names a path, or what is above it, anywhere but in its intent."""
    named: list[str] = [*order.allowed_files, *order.context_files]
    named += [condition.path for condition in order.preconditions]
    named += [condition.path for condition in order.postconditions]
    forbidden = [str(entry) for entry in order.forbidden]
    return (
        path in named
        or any(path in entry for entry in forbidden)
        or any(path.startswith(f"{entry.rstrip('/')}/") for entry in forbidden)
    )


RULE = Rule("W105", "unlisted-path", Severity.WARNING, explanation=__doc__, find=find)
