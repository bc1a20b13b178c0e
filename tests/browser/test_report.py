"""The report in a browser: opened as a file, it loads nothing, and nothing that strangers wrote can act."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from factory.cli import main
from tests.support.browser import axe
from tests.support.recorded_builds import HOSTILE, write_build

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1200, "height": 800}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a build in which a work order has failed with hostile words everywhere."""
    root = tmp_path_factory.mktemp("report")
    write_build(root / "out", root / "repo" / ".git")
    page = root / "out" / "report.html"
    assert main(["report", "--out", str(root / "out"), "--html", str(page)]) == 0
    return page


class _Opened:
    """A page, with what it asked for and what went wrong on it."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.requests: list[str] = []
        self.problems: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))


@pytest.fixture
def opened(chromium: "Browser", report: Path) -> Iterator[_Opened]:
    page = chromium.new_page(viewport=DESKTOP)
    watched = _Opened(page)
    page.goto(report.as_uri())
    yield watched
    page.close()


def _is_in_view(page: "Page", text: str) -> bool:
    box = page.get_by_text(text).first.bounding_box()
    assert box is not None
    assert page.viewport_size is not None
    return 0 <= box["y"] < page.viewport_size["height"]


def test_it_tells_the_failure_at_first_sight_and_keeps_strangers_to_text(
    opened: _Opened, report: Path
) -> None:
    page = opened.page
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        assert _is_in_view(page, "failed at acceptance_failed")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= size["width"]
    page.locator("#open-all").click()
    assert page.title() == "1 of 3 work orders have landed · Build of repo"
    assert page.locator("img, iframe, object, form").count() == 0
    assert page.locator("script").count() == 1
    assert page.locator("style").count() == 1
    assert page.locator('a[href^="javascript"]').count() == 0
    shown = page.locator("#WO-02 pre").first.inner_text()
    assert shown.startswith(HOSTILE[:40])
    assert "{{ 7 * 7 }}" in shown
    assert opened.requests == [report.as_uri()]
    assert opened.problems == []


def test_it_folds_finds_and_opens_what_a_link_leads_to(opened: _Opened) -> None:
    page = opened.page
    is_open = "part => part.open"
    assert not page.locator("#WO-01").evaluate(is_open)
    assert page.locator("#WO-02").evaluate(is_open)
    page.locator("tbody a", has_text="WO-01").first.click()
    page.wait_for_function("document.getElementById('WO-01').open")
    page.locator("#close-all").click()
    assert not page.locator("#WO-02").evaluate(is_open)
    # By keyboard alone.
    page.locator("#WO-03 > summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#WO-03").evaluate(is_open)
    page.locator("#filter-text").fill("req-01")
    assert page.locator("#filter-count").inner_text() == "1 of 3 shown"
    assert not page.locator("#WO-01").is_visible()
    page.locator("#filter-text").fill("")
    page.locator("#filter-state").select_option("bad")
    assert [page.locator(f"#WO-0{number}").is_visible() for number in (1, 2, 3)] == [False, True, False]


def test_axe_finds_nothing_in_light_and_in_dark_on_a_desk_and_on_a_telephone(
    chromium: "Browser", report: Path
) -> None:
    backgrounds = set()
    for scheme, size in (("light", DESKTOP), ("dark", PHONE)):
        # The page's own policy forbids the script of the examination.
        page = chromium.new_page(color_scheme=scheme, viewport=size, bypass_csp=True)  # type: ignore[arg-type]
        page.goto(report.as_uri())
        page.locator("#open-all").click()
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
        backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.add_script_tag(content=axe())
        # Beside the colours and the sizes both pages are the same.
        seen = {"type": "rule", "values": ["color-contrast", "link-in-text-block", "target-size"]}
        rules = {} if scheme == "light" else {"runOnly": seen}
        found = page.evaluate("rules => axe.run(rules)", rules)["violations"]
        assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []
        page.close()
    assert len(backgrounds) == 2


def test_without_scripts_all_is_there(chromium: "Browser", report: Path) -> None:
    context = chromium.new_context(java_script_enabled=False, viewport=DESKTOP)
    page = context.new_page()
    page.goto(report.as_uri())
    assert _is_in_view(page, "failed at acceptance_failed")
    assert not page.locator("#tools").is_visible()
    page.locator("#WO-01 > summary").click()
    assert page.locator("#WO-01 .attempt > summary").is_visible()
    context.close()
