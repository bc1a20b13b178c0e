"""What users of some names are shown of a source: alike in all languages, and never less than they need."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.languages.table import LANGUAGES, language_of

LONG = "1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16 + 17"

SOURCES = {
    "pkg/a.py": f'''\
"""What it is for."""

import os
from pkg.kinds import Kind

LIMIT: int = 3
OTHER = 4


class Wrong(ValueError):
    """It is wrong."""


@decorated
def said(kind: Kind, most: int = LIMIT) -> str:
    """Say it.

    Raises Wrong.
    """
    return os.name + str({LONG})


def bare() -> int:
    return {LONG}


class Shape:
    """A shape."""

    size: int = 1

    def measure(self) -> int:
        """Its size."""
        return {LONG}

    def _hidden(self) -> int:
        return 2


def alone() -> int:
    return {LONG}
''',
    "src/a.ts": f"""\
/** What it is for. */

import {{ Kind }} from "./kinds.js";
import {{ unused }} from "./unused.js";

export const LIMIT = 3;
export const OTHER = 4;

/** It is wrong. */
export class Wrong extends Error {{}}

/** Says it, up to LIMIT; throws Wrong. */
export function said(kind: Kind): string {{
  return String({LONG});
}}

export const bare = (): number => {{
  return {LONG};
}};

/** A shape. */
export class Shape {{
  size = 1;
  /** Its size. */
  measure(): number {{
    return {LONG};
  }}
}}

export function alone(): number {{
  return {LONG};
}}
""",
    "a/a.go": f"""\
// Package a is for it.
package a

import "pkg/kinds"

const LIMIT = 3
const OTHER = 4

// Wrong is wrong.
type Wrong struct{{ Text string }}

// said says it, up to LIMIT, or gives a Wrong.
func said(kind kinds.Kind) string {{
	return text({LONG})
}}

func bare() int {{
	return {LONG}
}}

// Shape is a shape.
type Shape struct{{ size int }}

// measure is its size.
func (shape *Shape) measure() int {{
	return {LONG}
}}

func alone() int {{
	return {LONG}
}}
""",
    "src/a.rs": f"""\
//! What it is for.

use crate::kinds::Kind;

pub const LIMIT: u8 = 3;
pub const OTHER: u8 = 4;

/// It is wrong.
#[derive(Debug)]
pub struct Wrong {{ pub text: String }}

/// Says it, up to LIMIT, or gives a Wrong.
pub fn said(kind: Kind) -> String {{
    text({LONG})
}}

pub fn bare() -> u32 {{
    {LONG}
}}

/// A shape.
pub struct Shape {{ size: u32 }}

impl Shape {{
    /// Its size.
    pub fn measure(&self) -> u32 {{
        {LONG}
    }}
}}

pub fn alone() -> u32 {{
    {LONG}
}}

#[cfg(test)]
mod tests {{ fn said() {{ super::said(); }} }}
""",
}
EACH = pytest.mark.parametrize("path", SOURCES)


def shown(path: str, *names: str) -> str:
    language = language_of(path)
    assert language is not None
    excerpt = language.excerpt(path, SOURCES[path], names)
    assert excerpt is not None
    assert {name.partition(".")[0] for name in names} <= excerpt.names
    return excerpt.text


def test_every_language_is_asked() -> None:
    assert [language_of(path) for path in SOURCES] == [*LANGUAGES]


@EACH
def test_a_documented_function_is_shown_with_what_it_refers_to_and_without_its_body(path: str) -> None:
    text = shown(path, "said")

    assert "for" in text.split("\n")[0]
    for needed in ("said", "kinds", "Wrong", "LIMIT", "wrong", "…"):
        assert needed in text
    for hidden in ("17", "OTHER", "Shape", "alone", "unused", "tests"):
        assert hidden not in text


@EACH
def test_a_function_that_says_nothing_of_itself_keeps_its_body(path: str) -> None:
    text = shown(path, "bare")

    assert text.count("17") == 1
    assert "alone" not in text
    assert "Wrong" not in text


@EACH
def test_a_type_is_shown_with_its_members(path: str) -> None:
    text = shown(path, "Shape.measure", "Shape")

    assert "size" in text
    assert "measure" in text
    assert "17" not in text
    assert "_hidden" not in text
    assert "Wrong" not in text


@EACH
def test_a_name_that_is_not_there_adds_nothing(path: str) -> None:
    language = language_of(path)
    assert language is not None
    excerpt = language.excerpt(path, SOURCES[path], ["nowhere"])

    assert excerpt is not None
    assert "nowhere" not in excerpt.names
    assert "LIMIT" not in excerpt.text


@EACH
def test_what_can_not_be_read_has_no_parts(path: str) -> None:
    language = language_of(path)
    assert language is not None
    assert language.excerpt(path, SOURCES[path] + "\n)(}{ def", ["said"]) is None


def test_of_a_long_value_the_beginning_is_shown() -> None:
    language = language_of("a.py")
    assert language is not None
    excerpt = language.excerpt("a.py", "TABLE = {\n" + "    1: 2,\n" * 1_000 + "}\n", ["TABLE"])

    assert excerpt is not None
    assert len(excerpt.text) < 300
    assert excerpt.text.endswith("…\n")


def test_python_on_one_line_and_in_blocks_is_found() -> None:
    source = "a = 1; b = 2\nif a:\n    def c(): return 3\nelse:\n    c = None\n"
    source += "try:\n    import d\nexcept ImportError:\n    d = None\n"
    language = language_of("a.py")
    assert language is not None
    for name, line in (("b", "a = 1; b = 2"), ("c", "def c(): return 3"), ("d", "import d")):
        excerpt = language.excerpt("a.py", source.replace("\n", "\r\n"), [name])
        assert excerpt is not None
        assert name in excerpt.names
        assert line in excerpt.text


@given(st.text(alphabet="abd:=#\"'\n\t (){}\\;@", max_size=60), st.sampled_from(sorted(SOURCES)))
def test_whatever_a_source_holds_there_is_a_part_or_none(source: str, path: str) -> None:
    language = language_of(path)
    assert language is not None
    excerpt = language.excerpt(path, source, ["a", "b.d"])

    assert excerpt is None or excerpt.text.endswith("\n")
