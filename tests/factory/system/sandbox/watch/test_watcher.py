"""What the watch makes of what it is told at the end; the rest is seen with real commands."""

from dataclasses import replace
from pathlib import Path

import pytest

from factory.system.sandbox.policy import MIB, Policy, Resources
from factory.system.sandbox.watch.watcher import Watch

LIMITS = Resources(memory_bytes=128 * MIB, file_bytes=MIB)


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    places = [tmp_path / name for name in ("checkout", "home", "temporary", "shared")]
    for place in places:
        place.mkdir()
    return Policy(*places, resources=LIMITS)


@pytest.mark.parametrize(("peak", "killed"), [(128 * MIB, None), (193 * MIB, "memory")])
def test_memory_counts_though_it_was_never_seen(policy: Policy, peak: int, killed: str | None) -> None:
    assert Watch(policy).last_look(peak, 0, 0) == killed


@pytest.mark.parametrize(("milliseconds", "killed"), [(1000, None), (1001, "cpu")])
def test_processor_time_counts_though_it_was_never_seen(
    policy: Policy, milliseconds: int, killed: str | None
) -> None:
    watch = Watch(replace(policy, resources=replace(LIMITS, cpu_seconds=1)))

    assert watch.last_look(0, 0, milliseconds) == killed


def test_a_file_from_before_the_first_look_counts(policy: Policy) -> None:
    watch = Watch(policy)
    (policy.root / "large").write_bytes(bytes(2 * MIB))

    assert watch.last_look(0, 2 * MIB, 0) == "file size"


def test_a_file_counts_though_others_make_room_on_the_disk(policy: Policy, tmp_path: Path) -> None:
    # Given something of somebody else's, which is removed meanwhile
    (tmp_path / "other").write_bytes(bytes(8 * MIB))
    watch = Watch(policy)
    (policy.temporary / "large").write_bytes(bytes(2 * MIB))
    (tmp_path / "other").unlink()

    assert watch.last_look(0, 2 * MIB, 0) == "file size"


def test_a_file_that_was_there_before_does_not_count(policy: Policy) -> None:
    (policy.root / "large").write_bytes(bytes(2 * MIB))

    assert Watch(policy).last_look(0, 2 * MIB, 0) is None


def test_small_files_count_together(policy: Policy) -> None:
    watch = Watch(replace(policy, resources=replace(LIMITS, written_bytes=MIB)))
    for number in range(3):
        (policy.home / str(number)).write_bytes(bytes(MIB // 2))

    assert watch.last_look(0, 2 * MIB, 0) == "bytes written"
