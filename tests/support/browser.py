"""A real browser for tests: Debian's Chromium, started once for all tests of a worker."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM: Final = shutil.which("chromium") or ""
_MODULES: Final = ("playwright", "axe_playwright_python")
_ARGUMENTS: Final = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip

MISSING: Final = [name for name in _MODULES if find_spec(name) is None] + ["chromium"] * (not CHROMIUM)
"""What a test in a browser lacks here."""


@contextmanager
def browser() -> Iterator["Browser"]:
    """The browser, for the block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, headless=True, args=list(_ARGUMENTS))
        try:
            yield opened
        finally:
            opened.close()


def axe() -> str:
    """The script of axe-core."""
    found = find_spec("axe_playwright_python")
    assert found is not None
    assert found.origin is not None
    return (Path(found.origin).parent / "axe.min.js").read_text("utf-8")
