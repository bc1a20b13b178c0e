"""A plan's dependencies as a drawing."""

import json

import pytest

from factory.contract.work_order import Plan
from factory.plans.states.dependencies import depends_on
from planner.report.diagram import GraphFormat, draw
from tests.support.golden import assert_golden
from tests.support.plans import makes, manifest

DIAMOND = Plan.model_validate(
    manifest(
        makes(1, "a.py", title='Say "hello" & <b>goodbye</b>; #1 `x` [y] {z} | w'),
        makes(2, "b.py", context_files=["a.py"], title="Line\nbreak \\ and \x1b[31m colour"),
        makes(3, "c.py", context_files=["a.py"], title="Ünïcode, plain"),
        makes(4, "d.py", context_files=["b.py", "c.py"], title="x" * 100),
    )
)


def drawn(graph_format: GraphFormat) -> str:
    return draw(DIAMOND, depends_on(DIAMOND, frozenset()), graph_format)


@pytest.mark.parametrize("graph_format", GraphFormat)
def test_a_diamond_is_drawn_like_this(graph_format: GraphFormat) -> None:
    assert_golden(f"diamond.{graph_format}.txt", drawn(graph_format))


def test_json_holds_titles_as_they_are_and_whom_each_depends_on() -> None:
    orders = json.loads(drawn(GraphFormat.JSON))["work_orders"]
    assert [step["title"] for step in orders] == [step.title for step in DIAMOND.work_orders]
    assert orders[3]["depends_on"] == ["WO-02", "WO-03"]


def test_no_title_ends_its_label() -> None:
    for line in drawn(GraphFormat.MERMAID).splitlines():
        assert line.count('"') in (0, 2)
        assert line.isprintable()
    for line in drawn(GraphFormat.DOT).splitlines():
        assert line.replace("\\\\", "").replace('\\"', "").count('"') in (0, 4)
        assert line.isprintable()
