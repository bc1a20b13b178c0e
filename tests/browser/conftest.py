"""One browser for all tests of a worker."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import MISSING, browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def chromium() -> Iterator["Browser"]:
    if MISSING:
        pytest.skip(f"missing here: {', '.join(MISSING)}")
    with browser() as opened:
        yield opened
