"""What a changed specification touches, and how that is shown."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.contract.work_order import Plan
from factory.plans.states.dependencies import depends_on
from planner.report.impact import ImpactFormat, counts, write_impact
from planner.revision.impact import Impact, impact
from planner.revision.reach import affected
from planner.specification.data import read_spec_document, rendered
from planner.specification.spec import Spec
from tests.support.plans import Json, exists, makes, manifest

OLD = "- It prints words.\n- It sorts them.\n- It counts them.\n- It is never slow.\n"
QUOTES = ["It prints words.", "It sorts them.", "It counts them."]


def requirement(number: int, *quotes: str) -> Json:
    return {"id": f"REQ-{number:02d}", "text": "Something.", "quotes": list(quotes)}


PLAN = Plan.model_validate(
    manifest(
        makes(1, "words.py", requirements=["REQ-01"]),
        makes(2, "sort.py", requirements=["REQ-02"], preconditions=[exists("words.py")]),
        makes(3, "count.py", requirements=["REQ-03"], context_files=["sort.py"]),
        makes(4, "free.py"),
        requirements=[requirement(number, text) for number, text in enumerate(QUOTES, start=1)],
    )
)


def touched(new: str, old: str | None = OLD, plan: Plan = PLAN) -> Impact:
    old_spec = None if old is None else Spec.of_text(old)
    return impact(plan, depends_on(plan, frozenset()), Spec.of_text(new), old_spec)


def orders(result: Impact) -> tuple[tuple[str, ...], ...]:
    return result.dirty_orders, result.affected_orders, result.unaffected_orders


def test_a_changed_line_makes_its_requirement_dirty_and_those_after_it_affected() -> None:
    result = touched(OLD.replace("sorts them", "sorts them backwards"))
    assert result.dirty_requirements == ("REQ-02",)
    assert result.requirements[1].vanished == ("It sorts them.",)
    assert [line.text for line in result.new_lines] == ["It sorts them backwards."]
    assert orders(result) == (("WO-02",), ("WO-03",), ("WO-01", "WO-04"))


@pytest.mark.parametrize("silent", ["## Out of scope\n\n- It sorts them.\n", "<!-- - It sorts them. -->\n"])
def test_what_is_still_there_and_no_longer_asked_for_makes_its_requirement_dirty(silent: str) -> None:
    changed = OLD.replace("- It sorts them.\n", "") + "\n" + silent
    result = touched(changed)
    assert result.dirty_requirements == ("REQ-02",)
    assert (result.requirements[1].kept, result.requirements[1].silenced) == ((), ("It sorts them.",))
    assert orders(result)[0] == ("WO-02",)
    assert touched(OLD + silent, old=OLD).is_empty
    # Without the old specification nobody knows whether it ever was asked for in these words.
    assert touched(changed, old=None).dirty_requirements == ()


def test_dependence_is_followed_at_any_distance() -> None:
    result = touched(OLD.replace("prints words", "prints letters"))
    assert orders(result) == (("WO-01",), ("WO-02", "WO-03"), ("WO-04",))


def shared(*writes: str, dirty: str, needed: tuple[str, ...] = ("", "", "", "")) -> list[str]:
    """Who is affected and why, of four work orders that write these files and need those others."""
    ids = [f"WO-{number:02d}" for number in range(1, len(writes) + 1)]
    reached = affected(ids, [names.split() for names in needed], [names.split() for names in writes], {dirty})
    return [
        f"{order.id}: {' '.join(order.depends_on)}; "
        + ", ".join(f"{file.file} {' '.join(file.work_orders)}" for file in order.shares)
        for order in reached
    ]


def test_who_writes_the_same_file_is_affected_before_and_after() -> None:
    assert shared("a", "a b", "c", "b", dirty="WO-02") == ["WO-01: ; a WO-02", "WO-04: ; b WO-02"]


def test_files_and_dependencies_are_followed_together_and_reasons_lead_to_what_is_dirty() -> None:
    writes, needed = ("a", "a b", "b", "c"), ("", "", "WO-02", "WO-02 WO-03")
    assert shared(*writes, dirty="WO-01", needed=needed) == [
        "WO-02: ; a WO-01",
        "WO-03: WO-02; b WO-02",
        "WO-04: WO-02; ",
    ]
    assert shared(*writes, dirty="WO-04", needed=needed) == []


def test_a_file_is_told_with_all_who_are_nearer() -> None:
    assert shared("a b", "a b", "b a", "c", dirty="WO-03") == [
        "WO-01: ; a WO-03, b WO-03",
        "WO-02: ; a WO-03, b WO-03",
    ]


def test_shared_files_are_shown_and_of_many_the_first() -> None:
    files = ["sort\x1b.py", *(f"z{number}.py" for number in range(6))]
    writes = [["words.py"], files, ["count.py"], files]
    new = Spec.of_text(OLD.replace("sorts them", "sorts them backwards"))
    result = impact(PLAN, ((),) * 4, new, Spec.of_text(OLD), writes)
    assert result.unaffected_orders == ("WO-01", "WO-03")
    text = write_impact(result, PLAN, None, ImpactFormat.TEXT).splitlines()
    assert text[-7:-5] == ["WO-04  may be affected  `Step 4`", "  writes `sort\\x1b.py`, as WO-02 does"]
    assert text[-1] == "  and 2 more files like that"
    written = json.loads(write_impact(result, PLAN, None, ImpactFormat.JSON))["work_orders"]
    assert [share["file"] for share in written[3]["because"]["shares"]] == files
    assert written[3]["because"]["shares"][0]["work_orders"] == ["WO-02"]


def test_a_new_line_touches_no_work_order() -> None:
    result = touched(OLD + "- It must say goodbye.\n")
    assert [(line.first, line.text) for line in result.new_lines] == [(5, "It must say goodbye.")]
    assert orders(result) == ((), (), ("WO-01", "WO-02", "WO-03", "WO-04"))
    assert not result.is_empty


@pytest.mark.parametrize(
    ("new", "respelt"),
    [
        ("It Sorts them!", True),
        ("it sorts \u00abthem\u00bb", True),
        ("**It** sorts them.", True),
        ("It sort them.", False),
        ("It sorts, or them.", False),
        ("It sorts themselves.", False),
        ("It sorts them a bit.", False),
        ("If asked, it sorts them.", False),
        ("It sorts them \u2014 !", True),
    ],
)
def test_a_line_that_is_only_spelt_otherwise_is_dirty_and_told_to_be_that(new: str, respelt: bool) -> None:
    result = touched(OLD.replace("It sorts them.", new))
    assert result.dirty_requirements == ("REQ-02",)
    text = write_impact(result, PLAN, None, ImpactFormat.TEXT)
    written = json.loads(write_impact(result, PLAN, None, ImpactFormat.JSON))["requirements"][1]
    assert ("    only letter case or punctuation differs in line 2: " in text) == respelt
    assert [passage["quote"] for passage in written["respelt"]] == ["It sorts them."] * respelt
    assert all((passage["first"], passage["last"]) == (2, 2) for passage in written["respelt"])


@pytest.mark.parametrize("new", ["It  sorts\n  them.", "It sorts\u200b them."])
def test_what_folding_makes_equal_is_not_dirty(new: str) -> None:
    assert touched(OLD.replace("It sorts them.", new)).dirty_requirements == ()


def test_lines_that_nobody_ever_quoted_are_not_new() -> None:
    assert touched(OLD).is_empty
    assert [line.text for line in touched(OLD, old=None).new_lines] == ["It is never slow."]


def test_a_line_that_grew_around_its_quote_is_noticed() -> None:
    plan = Plan.model_validate(
        manifest(makes(1, "a.py", requirements=["REQ-01"]), requirements=[requirement(1, "It prints words")])
    )
    old, new = "- It prints words.\n- It is.\n", "- It prints words and it sorts them.\n- It is.\n"
    result = touched(new, old.replace("words.", "words"), plan)
    assert result.dirty_requirements == ("REQ-01",)
    assert [line.text for line in result.requirements[0].outgrown] == ["It prints words and it sorts them."]
    assert touched(new, None, plan).dirty_requirements == ()


@pytest.mark.parametrize(
    ("quote", "new"),
    [
        ("It runs on Python 3", "It runs on Python 3.12."),
        ("It waits for 2", "It waits for 2.5 s."),
        ("It is written in C", "It is written in C++."),
        ("`rm` asks", "Non-`rm` asks."),
        ("It sorts them.", "~~It sorts them.~~"),
    ],
)
def test_a_word_that_grew_around_the_end_of_a_quote_is_noticed(quote: str, new: str) -> None:
    plan = Plan.model_validate(
        manifest(makes(1, "a.py", requirements=["REQ-01"]), requirements=[requirement(1, quote)])
    )
    old = quote if quote.endswith(".") else f"{quote}."
    assert touched(f"- {old}\n", f"- {old}\n", plan).is_empty
    assert touched(f"- {new}\n", f"- {old}\n", plan).dirty_requirements == ("REQ-01",)
    assert impact(plan, ((),), data(old)).is_empty
    assert impact(plan, ((),), data(new)).dirty_requirements == ("REQ-01",)


@pytest.mark.parametrize(
    "label", ["{}.", "{})", "({})", "4.2.{}", "4.{}.", "REQ-{}:", "- [R{}]", "- **FR-{}:**", "**FR-{}**:"]
)
def test_numbers_before_lines_are_no_part_of_what_they_say(label: str) -> None:
    said = ["It must print words.", "It must sort them as words.", "It must never be slow."]
    plan = Plan.model_validate(
        manifest(
            makes(1, "a.py", requirements=["REQ-01", "REQ-02"]),
            requirements=[requirement(1, "It must print words."), requirement(2, "must sort them")],
        )
    )

    def numbered(lines: list[str]) -> str:
        return "\n\n".join(f"{label.format(number)} {line}" for number, line in enumerate(lines, start=1))

    result = touched(numbered(["It must say hello.", *said]), numbered(said), plan)
    assert result.dirty_requirements == ()
    assert [line.text.endswith("It must say hello.") for line in result.new_lines] == [True]
    changed = touched(numbered([said[0], "It must sort them as numbers.", said[2]]), numbered(said), plan)
    assert changed.dirty_requirements == ("REQ-02",)


def data(text: str, name: str = "REQ-01", **further: list[str]) -> Spec:
    document = {"title": "T", "goal": "G.", "requirements": [{"id": name, "text": text}], **further}
    read = read_spec_document(json.dumps(document), "spec.json", is_json=True)
    return rendered(read, "0" * 64)


PRINTS = Plan.model_validate(
    manifest(makes(1, "a.py", requirements=["REQ-01"]), requirements=[requirement(1, "It prints.")])
)


def test_a_requirement_of_the_specification_keeps_its_whole_passage() -> None:
    assert impact(PRINTS, ((),), data("It prints.")).dirty_requirements == ()
    assert impact(PRINTS, ((),), data("It prints. It sorts.")).dirty_requirements == ("REQ-01",)


@pytest.mark.parametrize("old", [None, data("It prints.")])
def test_a_requirement_under_another_id_is_another_one(old: Spec | None) -> None:
    result = impact(PRINTS, ((),), data("It prints.", "REQ-02"), old)
    assert result.dirty_requirements == ("REQ-01",)
    assert result.requirements[0].silenced == ("It prints.",)
    assert [line.text for line in result.new_lines] == ["It prints."]


def test_what_is_new_beside_the_requirements_of_the_specification_is_a_new_line() -> None:
    old = data("It prints.", constraints=["Python 3.11."], non_goals=["No network."])
    new = data(
        "It prints.",
        constraints=["Python 3.11.", "No\nlibraries."],
        interfaces=["`show()` prints."],
        non_goals=["No files."],
    )
    assert impact(PRINTS, ((),), old, old).is_empty
    result = impact(PRINTS, ((),), new, old)
    assert [line.text for line in result.new_lines] == ["No libraries.", "`show()` prints."]
    assert result.dirty_requirements == ()


def test_a_withdrawn_requirement_is_of_the_past() -> None:
    changed = [
        requirement.model_copy(update={"withdrawn": requirement.id == "REQ-03"})
        for requirement in PLAN.requirements
    ]
    plan = PLAN.model_copy(update={"requirements": tuple(changed)})
    result = touched(OLD.replace("- It counts them.\n", ""), plan=plan)
    assert result.is_empty
    assert [requirement.id for requirement in result.requirements] == ["REQ-01", "REQ-02"]


LINES = [*QUOTES, "It is never slow.", "It must say goodbye.", "It shall be blue."]


@given(st.lists(st.sampled_from(LINES), unique=True), st.booleans(), st.sampled_from(["\n", "\n\n", "\r\n"]))
def test_each_part_follows_from_the_lines_that_are_left(lines: list[str], wrap: bool, end: str) -> None:
    shown = [line.replace(" ", "\n  ", 1) if wrap else line for line in lines]
    text = "".join(f"- {line}{end}" for line in shown)
    result = touched(text)
    gone = {f"REQ-{number:02d}" for number, quote in enumerate(QUOTES, start=1) if quote not in lines}
    assert set(result.dirty_requirements) == gone
    assert {line.text for line in result.new_lines} == set(lines) & set(LINES[4:])
    parts = orders(result)
    ids = [order.id for order in PLAN.work_orders]
    assert sorted(name for part in parts for name in part) == ids
    for order, needed in zip(PLAN.work_orders, depends_on(PLAN, frozenset()), strict=True):
        is_dirty = bool(gone.intersection(order.requirements))
        assert (order.id in result.dirty_orders) == is_dirty
        reached = {*result.dirty_orders, *result.affected_orders}
        assert (order.id in reached) == (is_dirty or bool(reached.intersection(needed)))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            "It stops. It sorts all\nof them when asked (twice). It ends.",
            "It sorts all of them when asked (twice).",
        ),
        ("- It stops\n- It sorts them now\n- It ends", "It sorts them now"),
        ("# Sorting\n\nHow it sorts them:\n\nSo it is.", "How it sorts them:"),
        ("Nothing of the kind.", None),
    ],
)
def test_the_sentence_nearest_to_what_vanished_is_shown_whole(changed: str, sentence: str | None) -> None:
    result = touched(OLD.replace("It sorts them.", changed))

    shown = {quote: passage.text for quote, passage in result.nearest.items()}

    assert shown == ({} if sentence is None else {"It sorts them.": sentence})


def test_the_text_says_what_is_touched() -> None:
    result = touched(OLD.replace("sorts them", "sorts\x1b[31m them backwards"))
    text = write_impact(result, PLAN, frozenset({"WO-02"}), ImpactFormat.TEXT)
    assert text.splitlines() == [
        "REQ-02  dirty, taken by WO-02",
        "  vanished  `It sorts them.`",
        "    nearest is line 2: `It sorts\\x1b[31m them backwards.`",
        "new line  line 2: `It sorts\\x1b[31m them backwards.`",
        "WO-02  dirty, landed  `Step 2`",
        "WO-03  may be affected, not landed  `Step 3`",
        "  depends on WO-02",
    ]
    assert counts(result) == (
        "1 of 3 requirements dirty, 1 new line, 1 work order dirty, 1 more that may be affected"
    )
    assert write_impact(touched(OLD), PLAN, None, ImpactFormat.TEXT) == "nothing is touched"
    # What has backticks of its own stands in quotation marks.
    coded = touched(OLD.replace("sorts them", "sorts `them`"))
    assert 'line 2: "It sorts `them`."' in write_impact(coded, PLAN, None, ImpactFormat.TEXT)


@pytest.mark.parametrize("landed", [None, frozenset({"WO-02"})])
def test_json_is_whole(landed: frozenset[str] | None) -> None:
    result = touched(OLD.replace("sorts them", "sorts them backwards"))
    written = json.loads(write_impact(result, PLAN, landed, ImpactFormat.JSON))
    assert [(requirement["id"], requirement["dirty"]) for requirement in written["requirements"]] == [
        ("REQ-01", False),
        ("REQ-02", True),
        ("REQ-03", False),
    ]
    assert [(order["state"], order["landed"]) for order in written["work_orders"]] == [
        ("unaffected", None if landed is None else False),
        ("dirty", None if landed is None else True),
        ("may be affected", None if landed is None else False),
        ("unaffected", None if landed is None else False),
    ]
    nearest = {"quote": "It sorts them.", "first": 2, "last": 2, "text": "It sorts them backwards."}
    assert written["requirements"][1]["nearest"] == [nearest]
    because = [order["because"] for order in written["work_orders"]]
    assert because[1:3] == [
        {"requirements": ["REQ-02"], "depends_on": [], "shares": []},
        {"requirements": [], "depends_on": ["WO-02"], "shares": []},
    ]
    assert written["new_lines"] == [{"first": 2, "last": 2, "text": "It sorts them backwards."}]
