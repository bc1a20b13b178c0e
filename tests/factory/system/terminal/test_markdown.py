"""Texts of strangers in Markdown."""

import pytest

from factory.system.terminal.markdown import escaped, posted, posted_paragraph


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("fixes #12 and ada/product#7", "fixes `#12` and `ada/product#7`"),
        ("Closes GH-3, resolves group/p!4", "Closes `GH-3`, resolves `group/p!4`"),
        ("thanks @ada and @ada/team", "thanks `@ada` and `@ada/team`"),
        ("ada@example.org, C# and 100 %", "ada@example.org, C# and 100 %"),
        ("`@ada`", "\\``@ada`\\`"),
        ("closes https://example.org/issues/1", "closes https\\://example.org/issues/1"),
        ("*a* <b> [c](d)", "\\*a\\* \\<b> \\[c](d)"),
    ],
)
def test_names_and_numbers_mean_nothing_where_it_is_shown(text: str, shown: str) -> None:
    assert posted(text) == shown
    assert escaped(text).count("`") <= text.count("`")


def test_a_paragraph_is_no_heading() -> None:
    assert posted_paragraph("- #1") == "\\- `#1`"
