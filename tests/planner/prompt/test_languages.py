"""Which languages a plan is about, by the words of a specification and the files of a repository."""

import pytest

from factory.languages.table import LANGUAGES
from planner.prompt.languages import languages_for

KNOWN = {language.key for language in LANGUAGES}


@pytest.mark.parametrize(
    ("spec", "keys"),
    [
        (None, {"python"}),
        ("A program. Go through the list; the rest may rust.", {"python"}),
        ("A Python package.", {"python"}),
        ("`python -m tally`, see tally/app.py", {"python"}),
        ("A TypeScript library with zod.", {"typescript"}),
        ("A library for Node.js.", {"typescript"}),
        ("A command written in Go.", {"go"}),
        ("A Go module; `go test ./...` passes.", {"go"}),
        ("A Rust crate: src/lib.rs", {"rust"}),
        ("A FastAPI service with a TypeScript client.", {"python", "typescript"}),
    ],
)
def test_a_specification_names_languages(spec: str | None, keys: set[str]) -> None:
    expected = (keys & KNOWN) or {"python"}
    assert {language.key for language in languages_for(spec, ())} == expected


def test_what_the_repository_has_counts_too() -> None:
    chosen = languages_for("A Rust crate.", ["src/app.py"])
    assert {"python"} <= {language.key for language in chosen}
