"""Which permissions an agent gets by rule."""

import pytest

from factory.llm.agents.permission import chosen, reason_to_refuse

MAY_WRITE = ("src/a.py",)


@pytest.mark.parametrize(
    ("kind", "places"),
    [
        ("edit", ["/co/src/a.py"]),
        ("edit", ["src/a.py"]),
        ("edit", []),
        ("execute", ["/etc/passwd"]),
        (None, []),
        ("fetch", []),
    ],
)
def test_what_stays_in_the_contract_and_the_sandbox_is_allowed(kind: str | None, places: list[str]) -> None:
    assert reason_to_refuse(kind, places, "/co", MAY_WRITE) == ""


@pytest.mark.parametrize(
    ("kind", "places"),
    [
        ("edit", ["/co/src/b.py"]),
        ("edit", ["/co/src/a.py", "/co/src/../../etc/passwd"]),
        ("edit", ["/other/src/a.py"]),
        ("delete", ["/co/src/a.py"]),
        ("move", ["/co/src/a.py"]),
    ],
)
def test_other_changes_are_refused(kind: str, places: list[str]) -> None:
    assert reason_to_refuse(kind, places, "/co", MAY_WRITE)


def test_the_option_for_once_is_preferred_and_none_is_made_up() -> None:
    options = [("1", "allow_always"), ("2", "allow_once"), ("3", "reject_always")]

    assert chosen(options, allow=True) == "2"
    assert chosen(options, allow=False) == "3"
    assert chosen(options[:2], allow=False) is None
