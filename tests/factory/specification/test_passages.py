"""What an engineer is shown of a specification: whole passages under their headings, and what they name."""

import re

from hypothesis import given
from hypothesis import strategies as st

from factory.specification.passages import GAP, Passages, Specification
from factory.specification.units import Outline

SPEC = """\
# Depot

Depot keeps parcels.

## Terms

- **Slot**: a place for one parcel. Its size is that of Table 2.
- **Bay**: a row of slots.

## Storing

A parcel goes into the first free slot. It must fit.

Before it is stored, these are checked:

1. Its label is read.
   - A label has eight letters:

     ```text
     ABCDEFGH
     ```
2. Its weight is taken, see section 4.

| code | meaning |
|------|---------|
| E1   | too large |
| E2   | no free slot |

Table 2: Sizes

| size | litres |
|------|--------|
| S    | 10 |

## 4 Weights

Weights are in grams.

### 4.1 Scales

Scales are read twice.

## Reports

- REQ-1: A report lists the parcels as in REQ-2.
- REQ-2: Lists are sorted.
"""


def shown(*quotes: str, room: int = 16_000) -> tuple[str, str]:
    passages = Specification(SPEC).passages({"REQ-01": quotes}, room=room, short=0)
    return unmarked(passages.quoted), passages.referred


def unmarked(text: str) -> str:
    """A passage without the marks of the one requirement that quotes it."""
    return re.sub(r"\[REQ-01\][ \n]", "", text)


def test_a_quote_stands_for_its_paragraph_under_its_headings() -> None:
    quoted, _ = shown("It must fit.")
    assert quoted == (
        f"# Depot\n\n{GAP}\n\n## Storing\n\nA parcel goes into the first free slot. It must fit.\n"
    )


def test_a_nested_item_has_what_it_hangs_on_and_what_it_leads_to() -> None:
    quoted, _ = shown("A label has eight letters:")
    assert quoted.endswith(
        "Before it is stored, these are checked:\n\n1. Its label is read.\n"
        "   - A label has eight letters:\n\n     ```text\n     ABCDEFGH\n     ```\n"
    )


def test_a_row_stands_below_the_head_of_its_table() -> None:
    quoted, _ = shown("no free slot")
    assert quoted.endswith(
        f"{GAP}\n\n| code | meaning |\n|------|---------|\n\n{GAP}\n\n| E2   | no free slot |\n"
    )


def test_what_is_named_follows_and_what_that_names() -> None:
    passages = Specification(SPEC).passages({"REQ-01": ["It must fit."]}, short=0)
    # "slot" is a term, whose definition names a table, which names nothing
    assert [(reference.what, reference.name) for reference in passages.references] == [
        ("term", "Slot"),
        ("table", "Table 2"),
    ]
    assert "a place for one parcel" in passages.referred
    assert "| S    | 10 |" in passages.referred
    assert "a row of slots" not in passages.referred


def test_sections_and_requirements_are_named_by_number() -> None:
    assert "Scales are read twice." in shown("Its weight is taken")[1]
    assert "REQ-2: Lists are sorted." in shown("A report lists the parcels")[1]


def test_what_the_work_order_names_by_its_id_follows() -> None:
    quotes = {"REQ-X": ("A parcel goes into the first free slot.",)}
    others = {"P-1": ("Its label is read.",), "P-2": ("Weights are in grams.",)}

    told = Specification(SPEC).passages(
        quotes, told="Lists as in REQ-2; labels as in P-1.", others=others, short=0
    )

    assert {"REQ-2", "P-1"} <= {reference.name for reference in told.references}
    assert "Lists are sorted." in told.referred
    assert "A label has eight letters" in told.referred
    assert "[P-1] Its label is read." in told.referred
    assert "grams" not in told.referred
    alone = Specification(SPEC).passages(quotes, short=0)
    assert "sorted" not in alone.referred


def test_a_range_of_ids_in_a_passage_does_not_say_what_each_asks_for() -> None:
    spec = Specification("Both of REQ-1 to REQ-3 hold.\n")

    shown = spec.passages({"REQ-2": ("Both of REQ-1 to REQ-3 hold.",)}, short=0)

    assert shown.quoted == "[REQ-2] Both of REQ-1 to REQ-3 hold.\n"


def test_ids_that_the_specification_does_not_have_stand_in_front_of_the_words_that_are_quoted() -> None:
    spec = Specification(
        "# Boards\n\n- R1. A cell is square.\n- Boards live. They must not\n  die, ever.\n"
        "- Cells must live.\n- Boards live.\n\n"
        "| cell | state |\n|---|---|\n| a | alive |\n\n```text\nlife\n```\n"
    )

    shown = spec.passages(
        {
            "R1": ("A cell is square.",),
            "REQ-01": ("Boards live.",),
            "REQ-02": ("They must not die", "| a | alive |"),
            "REQ-03": ("die, ever.", "Boards live.", "life"),
        },
        short=0,
    )

    assert shown.quoted == (
        "# Boards\n\n- R1. A cell is square.\n- [REQ-01, REQ-03] Boards live. [REQ-02] They must not\n"
        "  [REQ-03] die, ever.\n\n[…]\n\n- [REQ-01, REQ-03] Boards live.\n\n| cell | state |\n|---|---|\n"
        "[REQ-02]\n| a | alive |\n\n[REQ-03]\n```text\nlife\n```\n"
    )


def test_a_short_specification_is_shown_whole_and_the_same_to_every_work_order() -> None:
    plan = {"REQ-02": ["It must fit."], "REQ-01": ["It must fit.", "Scales are read twice."], "REQ-2": []}
    spec = Specification(SPEC)

    def shown(own: str) -> Passages:
        others = {name: quotes for name, quotes in plan.items() if name != own}
        return spec.passages({own: plan[own]}, others=others, short=len(SPEC))

    first, second = shown("REQ-01"), shown("REQ-02")

    assert first.is_whole and second.is_whole
    assert (
        first.quoted
        == second.quoted
        == SPEC.replace("It must fit.", "[REQ-01, REQ-02] It must fit.").replace(
            "Scales are", "[REQ-01] Scales are"
        )
    )
    assert (first.referred, first.references) == ("", ())
    assert first.lines == {"REQ-01": ((12, 12), (41, 41))}
    # Nothing of it is quoted, so nothing is asked for.
    assert shown("REQ-2").quoted == ""
    assert not spec.passages({"REQ-01": ["It must fit."]}, short=len(SPEC) - 1).is_whole


def test_code_that_has_the_name_of_a_section_is_not_it() -> None:
    spec = Specification("# Store\n\n## Undo\n\nOne step back.\n\n## Use\n\nSee **Undo**.\n\n`undo` ends.\n")

    assert spec.passages({"R": ("`undo` ends.",)}, short=0).referred == ""
    assert "One step back." in spec.passages({"R": ("See **Undo**.",)}, short=0).referred


def test_what_there_is_no_room_for_is_left_out_and_named() -> None:
    passages = Specification(SPEC).passages({"REQ-01": ["It must fit."]}, room=20, short=0)
    assert passages.referred == ""
    assert [reference.name for reference in passages.left_out] == ["Slot"]


def test_lines_are_recorded_and_quotes_that_are_nowhere_are_told() -> None:
    passages = Specification(SPEC).passages(
        {"REQ-01": ["It must fit.", "It flies."], "REQ-02": ["It flies."]}, short=0
    )
    assert passages.lines == {"REQ-01": ((12, 12),), "REQ-02": ()}
    assert passages.absent == {"REQ-01": ("It flies.",), "REQ-02": ("It flies.",)}


def test_nothing_is_shown_of_what_is_not_quoted() -> None:
    passages = Specification(SPEC).passages({"REQ-01": ["It flies."]}, short=0)
    assert (passages.quoted, passages.referred) == ("", "")


PIECES = """
# A;### B;text;more: text:;- item;  - inner;1. one;```;~~~;| a | b |;|---|---|;a | b;===;---;Table 1: x
    deep;REQ-1: do;**Term**: is;\ttab
"""
LINES = st.lists(st.sampled_from(re.split("[;\n]", PIECES)))


@given(LINES)
def test_every_line_that_says_something_is_in_one_piece(lines: list[str]) -> None:
    outline = Outline.of("\n".join(lines))
    covered = [line for unit in outline.units for line in range(unit.first, unit.last + 1)]
    assert covered == sorted(set(covered))
    assert {number for number, line in enumerate(lines, start=1) if line.strip()} <= set(covered)
    for index, unit in enumerate(outline.units):
        assert unit.parent is None or unit.parent < index
        assert unit.section is None or outline.units[unit.section].kind == "heading"


@given(LINES, st.data())
def test_what_is_shown_are_lines_of_the_specification_in_order(lines: list[str], data: st.DataObject) -> None:
    quote = data.draw(st.sampled_from(lines)) if lines else "x"
    passages = Specification("\n".join(lines)).passages({"REQ-01": [quote or "x"]}, short=0)
    for text in map(unmarked, (passages.quoted, passages.referred)):
        rest = iter(lines)
        assert all(line in rest for line in text.split("\n") if line and line != GAP)


POINTING = """# Book

A journal is a file:

```
one
```

## Rules

A sum is above 100 or below the limit.

```
two
```

- R1. It is printed as a tree. For the journal above:

  ```
  tree
  ```
- R2. The codes are in the table below.

| code | meaning |
|------|---------|
| 1    | wrong   |

- R3. As the codes above.
- R4. As what is printed above.
"""


def test_what_stands_above_or_below_is_shown_where_a_passage_points_to_it() -> None:
    spec = Specification(POINTING)
    tree = spec.passages({"R1": ["For the journal above:"]}, short=0)
    assert [(each.what, each.name, each.lines) for each in tree.references] == [
        ("example", "above line 17", ((3, 3), (5, 7)))
    ]
    assert "one" in tree.referred
    assert "| 1    | wrong   |" in spec.passages({"R3": ["As the codes above."]}, short=0).referred
    assert "tree" in spec.passages({"R4": ["As what is printed above."]}, short=0).referred
    table = spec.passages({"R2": ["The codes are in the table below."]}, short=0)
    assert "| 1    | wrong   |" in table.referred
    assert spec.passages({"sum": ["A sum is above 100 or below the limit."]}, short=0).referred == ""
    cramped = spec.passages({"R1": ["For the journal above:"]}, room=5, short=0)
    assert [each.name for each in cramped.left_out] == ["above line 17", "journal"]
