"""Which requirements a specification numbers itself, and what belongs to each."""

import pytest

from factory.specification.labels import ids_named, labelled, without_label
from factory.specification.units import Outline


def labels(text: str) -> dict[str, str]:
    outline = Outline.of(text)
    return {
        found.id: "/".join(outline.text(piece).strip() for piece in found.pieces)
        for found in labelled(outline)
    }


def test_ids_stand_in_titles_items_paragraphs_and_rows() -> None:
    text = (
        "# Undo (REQ-01)\n\nIt undoes.\n\n- Twice, too.\n\n## Deep\n\nAnd more.\n\n"
        "# Rest\n\n- **REQ-02**: It redoes.\n  - Also this.\n\nREQ-03: Last.\n\n"
        "| id | what |\n|---|---|\n| REQ-04 | It sorts. |\n"
    )
    assert labels(text) == {
        "REQ-01": "It undoes./- Twice, too./And more.",
        "REQ-02": "- **REQ-02**: It redoes./- Also this.",
        "REQ-03": "REQ-03: Last.",
        "REQ-04": "| REQ-04 | It sorts. |",
    }


def test_labels_of_paragraphs_end_each_other_without_blank_lines() -> None:
    assert labels("REQ-1: one\nstill one\nREQ-2: two\n") == {
        "REQ-1": "REQ-1: one\nstill one",
        "REQ-2": "REQ-2: two",
    }


@pytest.mark.parametrize(
    "text",
    [
        "- UTF-8: the encoding\n",
        "- SHA-256: a hash\n- SHA-512: another\n",
        "| E101 | too large |\n|---|---|\n| E102 | too small |\n| E103 | gone |\n",
        "# Requirements REQ-01 to REQ-20\n\nAll of them.\n",
        "R2 rules the world\n",
        "```\nREQ-01: code\n```\n",
    ],
)
def test_what_only_looks_like_an_id_is_none(text: str) -> None:
    assert labels(text) == {}


def test_letters_of_its_own_count_if_they_are_a_series_from_the_beginning() -> None:
    assert set(labels("- ENG-LEX-1: a\n- ENG-LEX-2: b\n")) == {"ENG-LEX-1", "ENG-LEX-2"}
    assert labels("- ENG-LEX-7: a\n") == {}


def test_a_table_that_only_lists_ids_gives_way_to_what_says_more() -> None:
    text = "| REQ-1 | high |\n|---|---|\n| REQ-2 | low |\n\n- REQ-1: one\n- REQ-2: two\n"
    assert labels(text) == {"REQ-1": "- REQ-1: one", "REQ-2": "- REQ-2: two"}


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("- **REQ-02**: It redoes.", "It redoes."),
        ("| REQ-04 | It sorts. |", "It sorts. |"),
        ("2. [REQ-1] Do", "Do"),
        ("- plain", "- plain"),
    ],
)
def test_the_text_without_its_label(text: str, rest: str) -> None:
    assert without_label(text) == rest


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("as in R2, and R10.", ["R2", "R10"]),
        ("covers R1 to R3", ["R1", "R2", "R3"]),
        ("R2\u2013R10", ["R2", "R3", "R10"]),
        ("R9-R11 and R30", ["R10"]),
        ("R3 to Q9", ["R3"]),
        ("R2x, XR2, R-2", []),
    ],
)
def test_ids_are_named_alone_or_as_a_range(text: str, named: list[str]) -> None:
    assert [*ids_named(text, ["R1", "R2", "R3", "R10"])] == named
