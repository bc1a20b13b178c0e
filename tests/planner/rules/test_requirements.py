"""The rules on requirements: quotes, references, who takes them, what proves them."""

import dataclasses
import json
import time
from typing import Any

import pytest

from factory.plans.commands.programs import read_command
from factory.plans.commands.strength import only_looks
from factory.plans.diagnostics.render import OutputFormat, render
from planner.check.document import check_document, check_reply
from planner.revision.amendment import Amendment
from planner.specification.data import read_spec_document, rendered
from planner.specification.spec import Spec
from tests.support.golden import assert_golden
from tests.support.plans import Json, makes, manifest

SPEC = Spec.of_text(
    """\
# Words

- It prints the words of a file,
  sorted.
- A word that occurs twice is printed once.

If the file is missing, it must exit with 2. It is small.

## Not in scope

- Colours
"""
)
DATA = rendered(
    read_spec_document(
        json.dumps(
            {
                "title": "Words",
                "goal": "It must be small.",
                "requirements": [
                    {"id": "R-1", "text": "It prints the words of a file, sorted."},
                    {"id": "R-2", "text": "A missing file ends it with 2.\n\nNothing is printed."},
                ],
                "constraints": ["Python only"],
                "non_goals": ["Colours"],
            }
        ),
        "spec.json",
        is_json=True,
    ),
    "0" * 64,
)


def test_the_hint_of_a_misquoted_text_shows_whole_words() -> None:
    text = "It has to print " + " ".join(f"word{number:03d}" for number in range(100))
    requirement = {"id": "REQ-01", "text": "t", "quotes": [text.replace("has to", "must")]}
    document = manifest(makes(1, "a.py", requirements=["REQ-01"]), requirements=[requirement])
    spec = Spec.of_text(text)
    found = check_document(document, frozenset(), spec).diagnostics
    (hint,) = [diagnostic.hint for diagnostic in found if diagnostic.code == "E201"]
    shown = hint.partition("`")[2].removesuffix("`")
    assert len(shown) > 380
    assert spec.lines.places(shown)


def requirement(name: str, *quotes: str, text: str = "Something.") -> Json:
    return {"id": name, "text": text, "quotes": list(quotes)}


SORTED = requirement("REQ-01", "It prints the words of a file, sorted.")
ONCE = requirement("REQ-02", "A word that occurs twice is printed once.")
MISSING = requirement("REQ-03", "If the file is missing, it must exit with 2.")


def plan(requirements: Any, *taken: list[str], commands: tuple[str, ...] = ("python -m pytest",)) -> Json:
    """A plan of one work order for each list of ids."""
    orders = [
        makes(
            number, f"m{number}.py", f"test_m{number}.py", requirements=ids, acceptance_commands=[*commands]
        )
        for number, ids in enumerate(taken, start=1)
    ]
    return manifest(*orders, requirements=requirements)


def findings(document: Json, spec: Spec | None = SPEC, *, is_new: bool = True) -> list[tuple[str, str]]:
    """The findings, weak acceptance aside."""
    checked = check_document(document, frozenset(), spec, is_new=is_new)
    return [
        (diagnostic.code, diagnostic.pointer)
        for diagnostic in checked.diagnostics
        if diagnostic.code != "W401"
    ]


ALL = ["REQ-01", "REQ-02", "REQ-03"]
GOOD = plan([SORTED, ONCE, MISSING], ALL)


def test_a_plan_that_quotes_and_takes_everything_has_no_findings() -> None:
    assert findings(GOOD) == []
    assert findings(plan([SORTED, ONCE, MISSING], ["REQ-01"], ["REQ-02", "REQ-01"], ["REQ-03"], [])) == []


def test_the_findings_of_a_plan_read_like_this() -> None:
    document = plan(
        [
            SORTED,
            requirement("REQ-02", "A word that occurs two times is printed once."),
            requirement("REQ-02", "It is small.", "It is fast \x1b[31m\nand \u202e loud"),
            requirement("REQ-04", "exit with 2"),
        ],
        ["REQ-01", "REQ-02"],
        ["REQ-1", "REQ-01"],
        commands=("test -f m1.py", "python -c 'import m1'"),
    )
    checked = check_document(document, frozenset(), SPEC, is_new=True)
    for output_format in (OutputFormat.FULL, OutputFormat.GITHUB):
        text = render(checked.diagnostics, output_format, {"plan.json": b"{}"})
        assert_golden(f"requirements.{output_format}.txt", text)


def test_the_findings_of_a_plan_for_data_read_like_this() -> None:
    document = plan(
        [requirement("R-2", "A missing file ends it"), requirement("R-3", "Python only")], ["R-2", "R-3"]
    )
    checked = check_document(document, frozenset(), DATA, is_new=True)
    assert_golden("requirements_of_data.full.txt", render(checked.diagnostics, OutputFormat.FULL))


@pytest.mark.parametrize("is_new", [False, True])
def test_only_a_new_plan_must_have_requirements(is_new: bool) -> None:
    old = manifest(makes(1, "a.py", acceptance_commands=["python -m pytest"]))
    expected = [("E203", "/requirements")] if is_new else []
    for spec in (None, SPEC, DATA):
        assert findings(old, spec, is_new=is_new) == expected
    assert findings({**old, "requirements": []}, is_new=is_new) == expected
    assert [diagnostic.code for diagnostic in check_reply(json.dumps(old), frozenset()).diagnostics] == [
        "E203"
    ]


def test_without_the_specification_nothing_is_compared_with_it() -> None:
    document = plan([requirement("REQ-01", "whatever")], ["REQ-01"])
    assert findings(document, None) == []
    assert ("E201", "/requirements/0/quotes/0") in findings(document, SPEC)


@pytest.mark.parametrize(
    ("value", "pointers"),
    [
        (None, ["/requirements"]),
        ("REQ-01", ["/requirements"]),
        ([7], ["/requirements/0"]),
        ([{}], ["/requirements/0/id", "/requirements/0/quotes", "/requirements/0/text"]),
        ([requirement("req-1", "x")], ["/requirements/0/id"]),
        ([requirement("R" * 41, "x")], ["/requirements/0/id"]),
        ([requirement("REQ-01")], ["/requirements/0/quotes"]),
        ([requirement("REQ-01", " ")], ["/requirements/0/quotes/0"]),
        ([SORTED, {**ONCE, "source": 1}], ["/requirements/1/source"]),
    ],
)
def test_what_breaks_the_schema_is_told_once_and_alone(value: Any, pointers: list[str]) -> None:
    assert findings(plan(value, ALL)) == [("E005", pointer) for pointer in pointers]
    assert check_document(plan(value, ALL), frozenset(), SPEC).plan is None


def test_a_work_order_that_breaks_the_schema_still_takes_what_it_names() -> None:
    document = plan([SORTED, ONCE, MISSING], ALL)
    document["work_orders"][0]["title"] = 7
    assert findings(document) == [("E005", "/work_orders/0/title")]
    document["work_orders"][0]["requirements"] = [7, *ALL]
    assert [code for code, _ in findings(document)] == ["E005", "E005"]
    document["work_orders"][0]["requirements"] = 7
    assert sorted({code for code, _ in findings(document)}) == ["E005", "E203"]


def test_an_unknown_id_names_its_neighbour() -> None:
    checked = check_document(plan([SORTED, ONCE, MISSING], [*ALL, "REQ-04"]), frozenset(), SPEC)
    assert [diagnostic.pointer for diagnostic in checked.diagnostics] == ["/work_orders/0/requirements/3"]
    assert "did you mean REQ-0" in checked.diagnostics[0].hint


@pytest.mark.parametrize("label", ["- R1. ", "R1. ", "- **R1.** ", "1. R1: ", "- [R1] "])
def test_an_id_before_a_sentence_needs_no_quote(label: str) -> None:
    spec = Spec.of_text(f"# Words\n\n{label}It prints the words of a file.\n\n- R2. It must count them.\n")
    document = plan([requirement("R1", "It prints the words of a file.")], ["R1"])
    found = check_document(document, frozenset(), spec).diagnostics
    assert [(each.code, each.message.split()[1]) for each in found] == [("W204", "5")]


def test_an_id_of_what_is_not_asked_for_is_told_as_such() -> None:
    spec = Spec.of_text("# Words\n\n- R1: It sorts words.\n\n## Not wanted\n\n- R2: It translates.\n")
    document = plan([requirement("R1", "It sorts words.")], ["R1", "R2"])
    (found,) = check_document(document, frozenset(), spec).diagnostics
    assert found.code == "E202"
    assert "what is not asked for" in found.hint


@pytest.mark.parametrize(
    ("quotes", "lines"),
    [
        (["of a file"], [3, 5, 7]),
        (["It prints the words of a file, sorted. A word that occurs twice is"], [7]),
        (["If the file is missing, it must exit"], [3, 5]),
        (["- It prints the words of a file,\n  sorted.\n- A word that occurs twice is printed once."], [7]),
    ],
)
def test_a_line_counts_as_quoted_with_half_of_its_words(quotes: list[str], lines: list[int]) -> None:
    checked = check_document(plan([requirement("REQ-01", *quotes)], ["REQ-01"]), frozenset(), SPEC)
    messages = [diagnostic.message for diagnostic in checked.diagnostics]
    assert {diagnostic.code for diagnostic in checked.diagnostics} == {"W204"}
    assert [int(message.split()[1]) for message in messages] == lines
    assert checked.ok


def test_lines_are_told_in_their_order() -> None:
    spec = Spec.of_text("\n".join(f"- item {number} x" for number in range(1, 121)))
    checked = check_document(plan([requirement("REQ-01", "item 7 x")], ["REQ-01"]), frozenset(), spec)
    numbers = [int(diagnostic.message.split()[1]) for diagnostic in checked.diagnostics]
    assert numbers == [number for number in range(1, 121) if number != 7]


class TestOfData:
    """A specification that names its requirements."""

    first = requirement("R-1", "It prints the words of a file, sorted.")
    second = requirement("R-2", "A missing file ends it with 2. Nothing is printed.")

    def test_its_ids_are_kept(self) -> None:
        assert findings(plan([self.first, self.second], ["R-1", "R-2"]), DATA) == []

    def test_a_quote_may_be_in_pieces_and_hold_more(self) -> None:
        second = requirement("R-2", "A missing file ends it with 2.", "Nothing is printed.", "Python only")
        assert findings(plan([self.first, second], ["R-1", "R-2"]), DATA) == []

    def test_an_id_of_ones_own_is_refused(self) -> None:
        document = plan([self.first, self.second, requirement("R-3", "Python only")], ["R-1", "R-2", "R-3"])
        assert findings(document, DATA) == [("E202", "/requirements/2/id")]

    def test_none_is_left_out(self) -> None:
        assert findings(plan([self.first], ["R-1"]), DATA) == [("E203", "/requirements")]

    def test_its_text_is_quoted_whole(self) -> None:
        document = plan([self.first, requirement("R-2", "A missing file ends it with 2.")], ["R-1", "R-2"])
        assert findings(document, DATA) == [("E201", "/requirements/1/quotes")]

    def test_a_part_of_a_word_is_not_all_of_it(self) -> None:
        text = DATA.text.replace("with 2.", "with 2.5.")
        spec = dataclasses.replace(DATA, text=text)
        second = requirement("R-2", "A missing file ends it with 2", "Nothing is printed.")
        assert findings(plan([self.first, second], ["R-1", "R-2"]), spec) == [
            ("E201", "/requirements/1/quotes")
        ]

    def test_the_text_of_another_is_not_its_own(self) -> None:
        swapped = [{**self.first, "id": "R-2"}, {**self.second, "id": "R-1"}]
        assert [code for code, _ in findings(plan(swapped, ["R-1", "R-2"]), DATA)] == ["E201", "E201"]


@pytest.mark.parametrize(
    "command",
    [
        "test -f a.py",
        "[ -e a.py ]",
        "ls a.py",
        "true",
        "bash -n a.sh",
        "python -m compileall -q .",
        "python -m py_compile a.py",
        "python -c 'import a'",
        "python -c 'from a import b; b'",
        "python -c \"import os; assert os.path.exists('a')\"",
        "python -c \"from pathlib import Path; assert Path('a').is_file() and Path('b').exists()\"",
        "python -c \"import a; assert hasattr(a, 'b') and callable(a.b)\"",
        "python -c \"import a; assert a.b is not None, 'b'\"",
        "python -c \"import os, sys; sys.exit(0 if os.path.exists('a') else 1)\"",
        "python -c \"import sys; sys.path.insert(0, 'src'); import a\"",
        "python -c \"__import__('a.b')\"",
        "python -m pytest --collect-only -q",
        "env X=1 timeout 5 bash -c 'test -f a'",
        "uv run python -c 'import a'",
        "python -m tally --help",
        "python -c \"assert 'x' in open('a').read()\"",
        "grep -q x a.py",
    ],
)
def test_commands_that_show_presence_only(command: str) -> None:
    assert only_looks(read_command(command))
    assert [code for code, _ in findings(plan([SORTED, ONCE, MISSING], ALL, commands=(command,)))].count(
        "W205"
    ) == 3


@pytest.mark.parametrize(
    "command",
    [
        "python a.py",
        "python -m pytest -q tests",
        "pytest",
        "python -m unittest",
        'python -c "import a; assert a.b() == 1"',
        'python -c "import a; a.main()"',
        "python -c \"import a; assert a.VERSION == '1'\"",
        "bash run.sh",
        "bash -c 'test -f a && python a.py'",
        "diff a b",
        "./check",
        "python -c 'x ='",
        "python -c 'import b; [a for a in b.c() if 1 / a]'",
        "node a.js",
    ],
)
def test_commands_that_show_more(command: str) -> None:
    assert not only_looks(read_command(command))


def test_one_command_of_one_work_order_is_enough() -> None:
    document = plan([SORTED, ONCE, MISSING], ALL, ["REQ-02"], commands=("test -f m1.py",))
    document["work_orders"][1]["acceptance_commands"] = ["test -f m2.py", "python -m pytest test_m2.py"]
    assert findings(document) == [("W205", "/requirements/0"), ("W205", "/requirements/2")]


@pytest.mark.parametrize("quote", ["x", "item 5", "nothing like it", "i" * 10_000], ids=len)
def test_very_many_quotes_take_bounded_time(quote: str) -> None:
    spec = Spec.of_text("\n".join(f"- item {number} must x" for number in range(2_000)))
    names = [f"R-{number}" for number in range(700)]
    quotes = [f"{quote} {number}" if number % 2 else quote for number in range(8)]
    started = time.process_time()
    checked = check_document(plan([requirement(name, *quotes) for name in names], names), frozenset(), spec)
    assert time.process_time() - started < 20
    assert not checked.ok


def test_more_quotes_than_are_looked_for_are_an_error() -> None:
    quotes = [SORTED["quotes"][0]] * 5_001
    checked = check_document(plan([requirement("REQ-01", *quotes), ONCE, MISSING], ALL), frozenset(), SPEC)
    assert [
        (diagnostic.code, diagnostic.message)
        for diagnostic in checked.diagnostics
        if diagnostic.code == "E201"
    ] == [("E201", "the plan has more than 5,000 quotes")]


class TestPartsOfLines:
    FIRST = "`top` returns pairs of a word and its count, the most frequent ones first"
    LINE = f"- {FIRST}; words of equal count stand in alphabetical order.\n"

    def left_out(self, quotes: list[str], intent: str, line: str = LINE) -> list[str]:
        document = plan([requirement("REQ-01", *quotes)], ["REQ-01"])
        document["work_orders"][0]["intent"] = intent
        checked = check_document(document, frozenset(), Spec.of_text(line))
        return [found.message for found in checked.diagnostics if found.code == "W204"]

    def test_a_part_that_nobody_says_is_told(self) -> None:
        (message,) = self.left_out([self.FIRST], "Write `top`.")
        assert message.startswith("line 1 of the specification is not quoted whole")
        assert "words of equal count stand in alphabetical order." in message

    @pytest.mark.parametrize(
        ("quotes", "intent"),
        [
            (
                [FIRST],
                "Of equal count, `top` sorts words alphabetically.",
            ),
            (
                [f"{FIRST}; words of equal count stand in"],
                "Write `top`.",
            ),
            (
                [
                    FIRST,
                    "words of equal count stand in alphabetical order",
                ],
                "x",
            ),
        ],
    )
    def test_a_part_that_is_said_or_small_is_left_alone(self, quotes: list[str], intent: str) -> None:
        assert self.left_out(quotes, intent) == []

    def test_a_reason_asks_for_nothing(self) -> None:
        line = "- The report is renamed from a temporary file, so that a report is never half.\n"
        assert self.left_out(["The report is renamed from a temporary file,"], "Rename it.", line) == []

    def test_a_condition_that_stands_first_counts(self) -> None:
        line = "- Unless `--all` is given, hidden files below the folder are never printed by the program.\n"
        quoted = "hidden files below the folder are never printed by the program."
        assert len(self.left_out([quoted], "Print files.", line)) == 1


class TestMisplaced:
    SUM = requirement("REQ-01", "`total` returns the sum of the amounts by product.")
    READ = requirement("REQ-02", "`load` reads one sale from each line of a file.")

    def misplaced(self, first: list[str], second: list[str], *intents: str) -> list[str]:
        document = plan([self.SUM, self.READ], first, second)
        for step, intent in zip(document["work_orders"], intents, strict=True):
            step["intent"] = intent
        checked = check_document(document, frozenset())
        return [found.pointer for found in checked.diagnostics if found.code == "W213"]

    INTENTS = (
        "Write `load`, which reads one sale from each line of a file.",
        "Write `total`, which returns the sum of the amounts by product.",
    )

    def test_a_requirement_whose_words_are_elsewhere(self) -> None:
        assert self.misplaced(["REQ-02", "REQ-01"], [], *self.INTENTS) == ["/work_orders/0/requirements"]
        assert self.misplaced(["REQ-01"], ["REQ-02"], *self.INTENTS) == [
            "/work_orders/0/requirements",
            "/work_orders/1/requirements",
        ]

    def test_where_its_words_are_it_may_be_beside_others(self) -> None:
        assert self.misplaced(["REQ-02"], ["REQ-01"], *self.INTENTS) == []
        assert self.misplaced(["REQ-02", "REQ-01"], ["REQ-01"], *self.INTENTS) == []

    @pytest.mark.parametrize(
        ("said", "is_named"), [("REQ-01", True), ("REQ-00 to REQ-02", True), ("REQ-011", False)]
    )
    def test_who_names_it_by_its_id_is_where_it_belongs(self, said: str, is_named: bool) -> None:
        read, total = self.INTENTS
        intents = (f"{read} test_sales.py covers {said}.", total)
        assert (self.misplaced(["REQ-02", "REQ-01"], [], *intents) == []) is is_named

    def test_words_that_nobody_says_are_misplaced_nowhere(self) -> None:
        assert self.misplaced(["REQ-02", "REQ-01"], [], "Read.", "Add up.") == []
        said_in_other_forms = (
            "Load each line of the file, reading sales, and give the total sum of the amounts for products."
        )
        assert self.misplaced(["REQ-02", "REQ-01"], [], said_in_other_forms, self.INTENTS[1]) == []


@pytest.mark.parametrize(
    ("command", "quoted", "is_proven"),
    [
        ("grep -q '## Units' README.md", "`README.md` names every unit.", True),
        ("grep -q '## Units' README.md", "The README names every unit.", True),
        (
            "python -c \"assert 'km' in open('docs/units.md').read()\"",
            "`docs/units.md` names every unit.",
            True,
        ),
        ("grep -q '## Units' README.md", "It knows every unit.", False),
        ("grep -q README m1.py", "`README.md` names every unit.", False),
        ("test -f README.md", "`README.md` names every unit.", False),
    ],
)
def test_a_search_proves_what_a_document_says(command: str, quoted: str, is_proven: bool) -> None:
    document = plan([requirement("REQ-01", quoted)], ["REQ-01"], commands=(command,))
    checked = check_document(document, frozenset())
    assert ("W205" not in [found.code for found in checked.diagnostics]) is is_proven


@pytest.mark.parametrize(
    ("value", "stated", "is_told"),
    [
        ("'3f786850e387550fdab836ed7e6dc881de23001b'", "3f786850e387550fdab836ed7e6dc881de23001b", False),
        ("'3f786850e387550fdab836ed7e6dc881de23001b'", "89e6c98d92887913cadf06b2adb97f26cde4849b", True),
        ("3.14159265358", "`3.14159265358`", False),
        ("3.14159265358", "3.141592653589793", True),
    ],
)
def test_a_literal_of_the_specification_is_not_predicted(value: str, stated: str, is_told: bool) -> None:
    text = f"It is {stated} for a."
    command = f'python -c "from m1 import f; assert f(2) == {value}"'
    document = plan([requirement("REQ-01", text)], ["REQ-01"], commands=(command,))
    for spec, told in ((Spec.of_text(f"- {text}\n"), is_told), (None, True)):
        found = [diagnostic.code for diagnostic in check_document(document, frozenset(), spec).diagnostics]
        assert ("W402" in found) is told


RETOLD = " ".join(f"word{number}" for number in range(100))


@pytest.mark.parametrize(
    ("intent", "finds"),
    [
        (f"Do this: {RETOLD.upper().replace(' ', ', ')}.", True),
        (" ".join(RETOLD.split()[:59]), False),
        # Names, values and short turns of the specification are no retelling.
        (" then ".join(" ".join(RETOLD.split()[start : start + 11]) for start in range(0, 99, 11)), False),
    ],
    ids=["whole", "fewer words", "short runs"],
)
def test_an_intent_that_retells_is_told_from_one_that_names(intent: str, finds: bool) -> None:
    requirement = {"id": "REQ-01", "text": "t", "quotes": [f"{RETOLD}."]}
    document = manifest(makes(1, "a.py", requirements=["REQ-01"], intent=intent), requirements=[requirement])
    spec = Spec.of_text(f"- {RETOLD}.\n")

    checked = check_document(document, frozenset(), spec)

    assert ("W215" in [found.code for found in checked.diagnostics]) is finds
    # Older plans have no passages to show.
    assert "W215" not in [found.code for found in check_document(document, frozenset()).diagnostics]


def test_what_a_revision_takes_over_may_retell() -> None:
    requirement = {"id": "REQ-01", "text": "t", "quotes": [f"{RETOLD}."]}
    step = makes(1, "a.py", requirements=["REQ-01"], intent=RETOLD)
    document = manifest(step, requirements=[requirement])
    before = check_document(document, frozenset()).plan
    assert before is not None
    spec = Spec.of_text(f"- {RETOLD}.\n")

    codes = [
        [found.code for found in checked.diagnostics]
        for checked in (
            check_document(document, frozenset(), spec, amendment=Amendment(before)),
            check_document(document, frozenset(), spec),
        )
    ]

    assert ["W215" in found for found in codes] == [False, True]


UNWANTED = Spec.of_text(
    "# Words\n\nIt prints the words of a file.\n\n## Not wanted\n\n- Colours in the output.\n- Speed.\n\n"
    "## More\n\nA wrong file ends it with exit code 2.\n\nOut of scope:\n\n- Windows is supported.\n"
)


@pytest.mark.parametrize(
    ("text", "quoted", "finds"),
    [
        ("Colours.", "Colours in the output.", True),
        ("No colours.", "Colours in the output.", False),
        ("There's nothing in colour.", "Colours in the output.", False),
        ("Windows.", "Windows is supported.", True),
        ("Words.", "It prints the words of a file.", False),
        ("Exits.", "A wrong file ends it with exit code 2.", False),
    ],
)
def test_a_demand_for_what_is_not_wanted(text: str, quoted: str, finds: bool) -> None:
    document = plan([requirement("REQ-01", quoted, text=text)], ["REQ-01"])
    assert ("E218" in [code for code, _ in findings(document, UNWANTED)]) is finds


@pytest.mark.parametrize(
    ("intent", "finds"),
    [
        ("A wrong file leads to exit code 1.", True),
        ("With a wrong file it exits with status 1.", True),
        ("A wrong file leads to exit code 2, other arguments to exit code 1.", False),
        ("It ends with exit code 0.", False),
        ("A wrong file leads to exit code 2.", False),
        ("A wrong file has 1 line.", False),
    ],
)
def test_another_exit_code_than_the_quote_has(intent: str, finds: bool) -> None:
    document = plan([requirement("REQ-01", "A wrong file ends it with exit code 2.")], ["REQ-01"])
    document["work_orders"][0]["intent"] = intent
    assert ("E219" in [code for code, _ in findings(document, UNWANTED)]) is finds


def test_another_status_than_the_quote_has() -> None:
    spec = Spec.of_text("Unknown notes are answered with status 404.\n")
    document = plan([requirement("REQ-01", "Unknown notes are answered with status 404.")], ["REQ-01"])
    document["work_orders"][0]["intent"] = "Answer unknown notes with HTTP 400."
    assert "E219" in [code for code, _ in findings(document, spec)]
