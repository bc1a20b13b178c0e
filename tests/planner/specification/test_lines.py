"""A specification by its lines: what asks for something, and what a quote stands for."""

import time
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from factory.specification.quotations import MAX_PLACES, Words
from planner.specification.lines import SpecLines, is_covered

MARKDOWN = """\
# tally: counts words

It reads a file. The result must be exact;
it may be large. We will explain more below.

<!-- It must not show
this. -->

## Behaviour

Rules:

- Words are sorted. See the appendix.
* It prints
  one line a word.

  The line shall end with a newline. It is short.
1. Options:
   - `--json` prints JSON
   - Errors:
       - none is swallowed
> It must be quoted.
and go on.

| it must | be a table |
|---------|------------|
| should  | not count  |

```
must not count
```

    it must be code

Print the sum. Support for colours is planned. Support `--color`. Do not crash.
Users may not edit it. Must it be fast? Use the library, e.g. Path, i.e. No other.
Code such as `it must` says nothing. REQ: none.

Out of scope:

- It will not fly.

Then it should end.

Not in scope
------------

- Networks
### Deeper
It must be ignored.

## More
REQ-12: Labelled lines count
**REQ-13** They count, too
UTF-8 is an encoding and
UTF-16 is none.
> Quoted, it must not count
- but this
[link]: http://must.example
- [Contents](#must)
"""


def normative(text: str) -> list[tuple[int, int, str]]:
    return [(passage.first, passage.last, passage.text) for passage in SpecLines(text).normative]


def test_what_asks_for_something_is_known_by_its_line() -> None:
    assert normative(MARKDOWN) == [
        (3, 4, "The result must be exact; it may be large."),
        (13, 13, "Words are sorted."),
        (14, 15, "It prints one line a word."),
        (17, 17, "The line shall end with a newline."),
        (19, 19, "`--json` prints JSON"),
        (21, 21, "none is swallowed"),
        (35, 35, "Print the sum."),
        (35, 35, "Support `--color`."),
        (35, 35, "Do not crash."),
        (36, 36, "Users may not edit it."),
        (36, 36, "Use the library, e.g. Path, i.e. No other."),
        (43, 43, "Then it should end."),
        (53, 53, "REQ-12: Labelled lines count"),
        (54, 56, "**REQ-13** They count, too UTF-8 is an encoding and UTF-16 is none."),
        (58, 58, "but this"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# It must be a heading",
        "It must be a heading\n===",
        "The following must hold:\n\n- [link](x)",
        "Is it a must?",
        "This document will tell you more.",
        "Sort order matters. Print quality too.",
        "~~~\n- an item\n~~~~",
        "```\nnever closed, must not count",
        "- [It must](link)",
        "## Non-goals\n- x\n\nIt must not.",
        "**Non-goals:**\n\n- x\n- y",
        "## 7. Future work\nIt will fly.",
        "## Not asked for\n- x",
        "## What is not asked for\nIt must not.",
        "### Later\n- x",
        "Not included:\n\n- x",
        "## VI. Out of Scope (for now) ##\n- x",
        "> # It must\n\n## Risks & mitigations\n- x",
        "---\n***\n___",
        "| Priority | Item |\n|---|---|\n| Must | Login |\n| Should have | Logout |",
        "## Non-goals\n\n| a | b |\n|---|---|\n| x | It must not count. |",
        "### What it must do\n## How it should look\n",
        "---\ntitle: It must count\ntags:\n  - words\n  - command line\n---\n\n# Words",
        "+++\ntags = ['must']\n+++\n",
        "- > It must be quoted.",
        "- [Contents](#a)\n\n      it must be code",
        "> ```\n> must\n\nIt may.",
    ],
)
def test_what_asks_for_nothing_is_left_alone(text: str) -> None:
    assert normative(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The user must:\n", ["The user must:"]),
        ("It must print exactly:\n\n```\n1 a\n```", ["It must print exactly:"]),
        ("- a\r\n- b\r- c", ["a", "b", "c"]),
        ("* [ ] to be done\n* [x] done", ["to be done", "done"]),
        ("Never stop. Please do it. Please keep it.", ["Never stop.", "Please do it.", "Please keep it."]),
        ("**Errors.** Refuse 'it'.", ["Refuse 'it'."]),
        ("---\r\na: must\r\n...\r\n- x", ["x"]),
        ("---\n\n- x\n\n---\n\n- y", ["x", "y"]),
        ("---\n- x\n", ["x"]),
        ("## Non-goals\n- x\n## Goals\n- y", ["y"]),
        ("It won\u2019t stop.", ["It won\u2019t stop."]),
        (
            "| Flag | It must be so |\n|--|--|\n| -q | Print nothing at all. |\n|-v|It shall tell more.|\n",
            ["Print nothing at all.", "|-v|It shall tell more.|"],
        ),
        ("Field | Rule\n--- | ---\nid | must be unique\nname | optional", ["must be unique"]),
        ("### REQ-7 It must stop\n## It must go on.\n", ["REQ-7 It must stop", "It must go on."]),
        (
            "It takes:\na) names\nb) numbers\n\n(1) once\n(2) twice",
            ["a) names", "b) numbers", "(1) once", "(2) twice"],
        ),
        ("- a.\n      - b\n\n  c must d.", ["a.", "b", "c must d."]),
        ("    - a\n    - b", ["a", "b"]),
        ("    It must code.\n    - a\n    - b", ["a", "b"]),
        ("It takes:\n2. names\n3. numbers\n- # titles", ["names", "numbers", "# titles"]),
        ("It must stop.\n===", ["It must stop."]),
        ("REQ-1: a\n---\n\u2022 b\n---", ["REQ-1: a", "b"]),
        ("| a |\n| It must b. |\n\u2022 c", ["It must b.", "c"]),
        ("<details>\n- a\n</details>\n\n<p>It must b.</p>", ["a </details>", "<p>It must b.</p>"]),
        ("- " * 60 + "a\n\nIt must b.", [f"{'- ' * 58}- a", "It must b."]),
        ("\u2013 names\n\u2013 numbers\n", ["\u2013 names", "\u2013 numbers"]),
        (
            "It must\n\u2014 always \u2014\n(at) a) last hold.",
            ["It must \u2014 always \u2014 (at) a) last hold."],
        ),
    ],
)
def test_other_ways_to_ask(text: str, expected: list[str]) -> None:
    assert [passage.text for passage in SpecLines(text).normative] == expected


SPEC = """\
# Counting

- Words are counted;
  case doesn\u2019t matter \u2014 caf\u00e9 and Caf\u00e9 are one.
- The result is sorted.

The result is sorted.
It must be < 2. And
- not more
"""


@pytest.mark.parametrize(
    ("quote", "lines"),
    [
        ("Words are counted; case", (3, 4)),
        ("Words  are\n\tcounted;\ncase doesn't matter - cafe\u0301", (3, 4)),
        ("- Words are counted;", (3,)),
        ("Counting Words", (1, 3)),
        ("# Counting\n- Words", (1, 3)),
        ("Caf\u00e9 are one. The result", (4, 5)),
        ("Caf\u00e9 are one.\n- The result", (4, 5)),
        ("one. - The", (4, 5)),
        ("The result is sorted.", (5, 7)),
        ("must be < 2. And not more", (8, 9)),
        ("must be < 2. And - not more", (8, 9)),
        ("2. And", (8,)),
        ("And\u200b not\u00ad", (8, 9)),
    ],
)
def test_a_quote_leads_to_its_lines(quote: str, lines: tuple[int, ...]) -> None:
    assert SpecLines(SPEC).lines(quote) == lines


@pytest.mark.parametrize(
    "quote",
    ["words are counted", "ords are counted;", "Words counted", "Cafe are one", "", "- ", "\u200b", "1"],
)
def test_what_is_not_in_the_text_leads_nowhere(quote: str) -> None:
    assert SpecLines(SPEC).places(quote) == ()
    assert SpecLines(SPEC).lines(quote) == ()


@pytest.mark.parametrize(
    ("quote", "first", "last"),
    [
        ("The results are sorted.", 4, 5),
        ("words were counted", 3, 3),
        ("case does not matter \u2026 Caf\u00e9 are one", 4, 4),
        ("It has to be < 2", 8, 8),
    ],
)
def test_the_nearest_passage_is_named(quote: str, first: int, last: int) -> None:
    near = SpecLines(SPEC).nearest(quote)
    assert near is not None
    assert (near.first, near.last) == (first, last)


@pytest.mark.parametrize(
    "quote", ["case does not matter \u2026 Caf\u00e9 are one", "It must be 2.", "c1 it is"]
)
def test_the_nearest_passage_is_a_quote(quote: str) -> None:
    lines = SpecLines(f"{SPEC}\n| c1 | it is |\n")
    near = lines.nearest(quote)
    assert near is not None
    assert lines.places(quote) == ()
    assert lines.places(near.text) == (near,)


@pytest.mark.parametrize(
    ("text", "quote", "nearest"),
    [
        (
            "Print the words.\n\n## Sorted words\n\nSort the lines.",
            "Print the words sorted",
            "Print the words.",
        ),
        (
            "# Words\nSort the words by length.",
            "Words: sort the words by length",
            "Sort the words by length.",
        ),
        ("Print words\n===========\nSort them all.", "Print words. Sort them all", "Sort them all."),
        ("- It waits for 2.5 s.\n", "it waits for 3", "It waits for 2.5"),
        ("It reads at most 10 000 lines.", "It reads at most 9", "It reads at most 10 000"),
    ],
)
def test_the_nearest_passage_ends_at_headings_and_cuts_no_number(text: str, quote: str, nearest: str) -> None:
    near = SpecLines(text).nearest(quote)
    assert near is not None
    assert near.text == nearest


@pytest.mark.parametrize(
    "quote", ["nothing of this", "", "-", "\ud800", "Words of quite another kind, really"]
)
def test_what_is_like_nothing_has_no_nearest_passage(quote: str) -> None:
    assert SpecLines(SPEC).nearest(quote) is None


def test_half_of_the_words_cover_a_passage() -> None:
    lines = SpecLines("- one two three four\n- five six")
    assert [passage.first for passage in lines.uncovered(["one two"])] == [2]
    assert [passage.first for passage in lines.uncovered(["one", "six"])] == [1]
    assert [passage.first for passage in lines.uncovered(["one", "four", "five six"])] == []
    assert [passage.first for passage in lines.uncovered([])] == [1, 2]


def test_a_word_that_stands_everywhere_is_found_at_some_places_only() -> None:
    assert len(Words("a " * 1000).places("a")) == MAX_PLACES


texts = st.lists(
    st.sampled_from(
        ["- ", "1. ", "> ", "# ", "\n", "\r\n", "\n\n", " ", "\t", "```", "|", "    ", "---", "<!--", "-->"]
    )
    | st.sampled_from(
        ["word", "must", "Print", "caf\u00e9", "e\u0301", "\u2019", "`", "**", ".", ":", "?", "X-1: "]
    )
    | st.characters(),
    max_size=60,
).map("".join)


@given(texts)
def test_any_text_has_its_normative_passages_in_order_and_inside(text: str) -> None:
    lines = SpecLines(text)
    count = len(lines.text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    seen: list[int] = []
    for passage in lines.normative:
        assert 1 <= passage.first <= passage.last <= count
        assert passage.text.split()
        seen += passage.words
    assert seen == sorted(set(seen))


@given(texts)
def test_a_normative_passage_is_found_by_its_own_text(text: str) -> None:
    lines = SpecLines(text)
    for passage in lines.normative:
        places = lines.places(passage.text)
        # A text that begins or ends with signs may be a marker of its own, as `1.` at the beginning is.
        if not passage.text[0].isalpha() or len(places) == MAX_PLACES:
            continue
        assert passage.words in [place.words for place in places]


@given(texts, st.data())
def test_any_run_of_words_is_found_however_it_is_wrapped(text: str, data: st.DataObject) -> None:
    lines = SpecLines(text)
    plain = [index for index, word in enumerate(lines.words.all) if not word.is_marker]
    assume(plain)
    start = data.draw(st.integers(0, len(plain) - 1))
    stop = data.draw(st.integers(start + 1, len(plain)))
    chosen = plain[start:stop]
    words = [lines.words.all[index].written for index in chosen]
    assume(words[0][0].isalpha())
    form = data.draw(st.sampled_from(["NFC", "NFD"]))
    quote = unicodedata.normalize(form, "  ".join(words))
    places = lines.places(quote)
    assume(len(places) < MAX_PLACES)
    assert tuple(chosen) in [place.words for place in places]
    assert set(lines.lines(quote)) >= {lines.words.all[index].line for index in chosen}
    assert is_covered(lines.words.passage(chosen), lines.covered([quote]))


@given(texts, texts)
def test_any_quote_is_looked_for_and_has_a_nearest_passage_or_none(text: str, quote: str) -> None:
    lines = SpecLines(text)
    near = lines.nearest(quote)
    for passage in (*lines.places(quote), *([near] if near else [])):
        assert passage.first <= passage.last
        assert passage.words
    assert SpecLines(text).places(quote) == lines.places(quote)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 50_000,
        "a " * 25_000,
        "- " * 25_000,
        "> " * 25_000,
        "\n" * 50_000,
        "- a\n" * 12_500,
        "**" * 25_000,
        "| " * 25_000,
        "-" * 50_000,
        "- - " * 12_500,
        "REQ-1" * 10_000,
        "e\u0301" * 15_000,
        "`must. " * 7_500,
        " " * 50_000,
        "|-" * 25_000,
        ("|-" * 1_000 + "\n") * 25,
        "[a]" * 15_000,
        "# a" + " " * 47_500 + "b",
        "---" + " " * 47_500 + "b",
        "a|b\n|-|" + " " * 47_500 + "b",
        "- a" + " " * 47_500 + "\u00a0",
        "1." * 22_500 + " Background",
        "a\n" + " " * 47_500 + "b",
        "> " * 99 + "a\n" + "b\n" * 2_500,
        ("- " * 60 + "a\n") * 400,
        "".join(" " * depth + "- a\n" for depth in range(300)),
        "[a]: <\n" * 6_250,
        "<!--\n\n" * 7_500,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_a_hostile_text_takes_no_longer_than_its_length(text: str) -> None:
    started = time.process_time()
    lines = SpecLines(text)
    assert len(lines.normative) >= 0
    lines.nearest(text[:5_000])
    lines.places(text[:5_000])
    for number in range(500):
        lines.places(f"a {number}")
    # Where it is not linear, it takes minutes; a busy machine takes several times what an idle one does.
    assert time.process_time() - started < 15
