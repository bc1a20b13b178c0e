"""What keeps limits, told for people."""

from pathlib import Path

import pytest

from factory.system.sandbox.kernel.bounds import WATCH_ALONE, Bounds
from factory.system.sandbox.kernel.find import Discovery
from factory.system.sandbox.kernel.group import ControlGroups
from factory.system.sandbox.port import OWN_USER

PLACE = Path("/sys/fs/cgroup/x")


@pytest.mark.parametrize(
    ("by_level", "groups", "expected", "gap"),
    [
        (
            OWN_USER,
            ControlGroups(2, {"pids": PLACE, "memory": PLACE}),
            ("control group v2", "control group v2"),
            "",
        ),
        (OWN_USER, ControlGroups(1, {"pids": PLACE}), ("control group v1", WATCH_ALONE), "memory"),
        (OWN_USER, ControlGroups(1, {"memory": PLACE}), (OWN_USER, "control group v1"), ""),
        ("", ControlGroups(1, {"memory": PLACE}), (WATCH_ALONE, "control group v1"), "processes"),
        (OWN_USER, None, (OWN_USER, WATCH_ALONE), "memory"),
        ("", None, (WATCH_ALONE, WATCH_ALONE), "processes and memory"),
    ],
)
def test_each_is_named_by_what_keeps_it(
    by_level: str, groups: ControlGroups | None, expected: tuple[str, str], gap: str
) -> None:
    kept = Discovery(groups, "why").bounds(by_level)

    assert (kept.processes, kept.memory) == expected
    assert kept.gap == gap
    assert bool(kept.remedies) is bool(gap)


def test_a_mend_is_a_command_on_a_line_of_its_own() -> None:
    lines = Bounds().remedies

    assert any(line.startswith(("systemd-run --user --scope", "docker run")) for line in lines)
