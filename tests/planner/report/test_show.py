"""A plan for a person: everything that it will do, in the specification's words; nothing of it can act."""

from decimal import Decimal

from factory.contract.work_order import Plan
from factory.llm.spending.prices import Price
from planner.report.building import building, in_words
from planner.report.page import Item, PageFormat, Part, Section, write_page
from planner.report.show import Shown, sections, title_of
from planner.specification.lines import SpecLines
from tests.support.golden import assert_golden
from tests.support.plans import absent, makes, manifest, verified_by

SPEC = """\
# Words

- It prints the words,
  sorted.
- It says <b>bold</b>.
- Nobody quotes this.
"""
PLAN = Plan.model_validate(
    manifest(
        makes(1, "words.py", "tests/test_words.py", title="Print\x1b[31m words", requirements=["REQ-01"],
              preconditions=[absent("words.py"), absent("tests/test_words.py")],
              acceptance_commands=["python -m pytest -q tests/test_words.py", "ls README.md"],
              red_exempt=[{"command": "ls README.md", "reason": "It is there already."}],
              provides=["words:words(text: str) -> list[str]"],
              accepted_warnings=[{"code": "W101", "reason": "It is made by hand."}]),
        makes(2, "words.py", "README.md", title="<script>alert(1)</script>",
              notes="* no list", difficulty="hard",
              acceptance_commands=["python -c 'import words'"],
              consumes=["words:words(text: str) -> list[str]"]),
        system_overview=["One module, <img src=x>."],
        verify_contract=verified_by("pytest -q", "words.py"),
        services=[{"preset": "redis"}],
        requirements=[
            {"id": "REQ-01", "text": "Sorted words.", "quotes": ["It prints the words, sorted."]},
            {"id": "REQ-02", "text": "Bold.", "quotes": ["It says <b>bold</b>."]},
            {"id": "REQ-03", "text": "Of before.", "quotes": ["gone"], "withdrawn": True},
        ],
        remarks=[
            {"kind": "gap", "text": "Sorted by what?", "quotes": ["It prints the words, sorted."]},
            {"kind": "guess", "text": "Of nothing.", "quotes": []},
        ],
        accepted_warnings=[{"code": "W204", "reason": "Nobody needs it."}],
    )
)  # fmt: skip
PRICES = {"gpt-5.2": Price(Decimal("1.75"), Decimal(14)), "command:x": None}
COST = tuple(in_words(building(PLAN, {"WO-01"}, 6_000), PRICES))
SHOWN = Shown(PLAN, ([], ["WO-01"]), SpecLines(SPEC), {"WO-01": "a" * 40}, COST)


def test_a_plan_as_text() -> None:
    assert_golden("show.text.txt", write_page(title_of(SHOWN), sections(SHOWN), PageFormat.TEXT))


def test_a_plan_as_markdown() -> None:
    assert_golden("show.markdown.txt", write_page(title_of(SHOWN), sections(SHOWN), PageFormat.MARKDOWN))


def test_a_plan_as_a_page() -> None:
    page = write_page(title_of(SHOWN), sections(SHOWN), PageFormat.HTML)
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page
    assert "default-src 'none'" in page
    assert "<p>words.py <small>(new)</small></p>" in page
    assert [page.count(f"<{tag}>") for tag in ("h1", "section", "main")] == [1, 5, 1]
    assert page.count("<section>") == page.count("</section>")


def test_one_work_order_alone() -> None:
    (section,) = sections(SHOWN, "WO-02")
    assert section.title.startswith("WO-02")


def test_a_quote_has_the_spaces_of_the_specification() -> None:
    plan = Plan.model_validate(
        manifest(
            makes(1, "table.py", requirements=["REQ-01"]),
            requirements=[
                {"id": "REQ-01", "text": "Columns.", "quotes": ["Columns such as `a b` are aligned."]}
            ],
        )
    )
    shown = Shown(plan, ([],), SpecLines("- Columns such as\n  `a    b` are aligned.\n"))
    page = write_page(title_of(shown), sections(shown), PageFormat.TEXT)
    assert "| Columns such as `a    b` are aligned." in page


def test_what_is_not_known_is_not_told() -> None:
    bare = Shown(PLAN.model_copy(update={"remarks": (), "accepted_warnings": ()}), ([], []), None)
    text = write_page(title_of(bare), sections(bare), PageFormat.TEXT)
    assert "line" not in text.replace("lines", "")
    assert "landed" not in text
    assert "what it costs" not in text


def test_a_build_costs_an_answer_a_work_order_that_has_not_landed() -> None:
    assert building(PLAN, (), 6_000).answers == 2
    left = building(PLAN, {"WO-01"}, 6_000)
    assert left.answers == 1
    assert 1_500 < left.tokens < 2_000
    (asked, priced) = in_words(left, {"m": Price(Decimal(2), Decimal(10))})
    assert asked.startswith("at least 1 answer of a model")
    assert priced == "m: $0.00 and what the answers take; $0.65 if each of 2 has 32,000 tokens"
    assert list(in_words(building(PLAN, {"WO-01", "WO-02"}, 6_000), {})) == [
        "no answer of a model: nothing is left that asks for one"
    ]


def test_markdown_of_strangers_begins_nothing() -> None:
    items = tuple(map(Item, ("# a", "- b", "1. c", "> d", "+ e", "=== f", "12) g", "[h](http://x)", "2 i")))
    page = write_page("t", [Section("s", (Part("p", items),))], PageFormat.MARKDOWN)
    shown = [line.removeprefix("- ") for line in page.splitlines() if line.startswith("- ")]
    assert shown == [
        "\\# a", "\\- b", "1\\. c", "\\> d", "\\+ e", "\\=== f", "12\\) g", "\\[h](http\\://x)", "2 i",
    ]  # fmt: skip
