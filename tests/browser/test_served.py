"""A build that goes on, in a browser: the page follows it, and what a person does there stays."""

from pathlib import Path
from typing import TYPE_CHECKING

from factory.builds.state.file import save_state
from factory.builds.state.machine import BuildPhase, OrderPhase
from tests.support.browser import axe
from tests.support.recorded_builds import write_build
from tests.support.repositories import make_repo
from tests.support.served import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_the_page_of_a_build_that_goes_on_follows_it(chromium: "Browser", tmp_path: Path) -> None:
    repo, out = make_repo(tmp_path / "repo"), tmp_path / "out"
    state = write_build(out, repo / ".git", phase=BuildPhase.RUNNING)
    with served(out, repo) as server:
        page = chromium.new_page()
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(server.address)
        assert "token" not in page.url
        page.get_by_role("link", name="this").click()
        page.get_by_text("shown as it is now").wait_for()
        page.locator("#WO-03 > summary").click()
        page.locator("#skip-WO-03").fill("words half wri")

        changed = state.order("WO-02").model_copy(update={"state": OrderPhase.LANDED, "commit": "2" * 40})
        save_state(out, state.with_order(changed))
        # Nothing is replaced under the hands of who writes.
        page.wait_for_timeout(1_500)
        assert page.locator(".outcome").inner_text() == "1 of 3 work orders have landed"
        page.locator("#filter-text").focus()
        page.get_by_text("2 of 3 work orders have landed").first.wait_for()
        assert page.locator("#WO-03").evaluate("part => part.open")
        assert page.locator("#skip-WO-03").input_value() == "words half wri"
        assert not page.locator("#WO-02").evaluate("part => part.open")

        page.locator("#WO-03 form:has(#skip-WO-03) input[type=text]").fill("not needed")
        page.get_by_role("button", name="Leave it out WO-03").click()
        page.get_by_text("WO-03: left out, as").wait_for()
        assert problems == []
        page.close()

        context = chromium.new_context(bypass_csp=True)
        page = context.new_page()
        page.goto(server.address)
        page.goto(f"{page.url}b/this/")
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
        page.add_script_tag(content=axe())
        # The colours are those of the report, which are examined there.
        rules = ["cat.forms", "cat.keyboard", "cat.name-role-value", "cat.semantics", "cat.structure"]
        found = page.evaluate("rules => axe.run({ runOnly: rules })", rules)["violations"]
        assert [one["id"] for one in found] == []
        context.close()
