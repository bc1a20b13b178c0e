"""A worker's place: nobody else's while it lives, and what nobody uses any more does not stay in it."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from factory.contract.canonical import sha256_hex
from factory.engines.message import encoded
from factory.engines.mirror import Mirror
from factory.engines.parcels import Parcels
from factory.engines.place import Place
from factory.system.files.tree import FileProblem
from factory.system.git.client import Git
from factory.trials.conditions import Setting
from tests.support.repositories import git, make_repo

NAMES = ("a" * 32, "b" * 32, "c" * 32)
LONG_AGO = 31 * 24 * 3_600


def a_copy(place: Path, name: str) -> Path:
    """An empty copy of a repository."""
    copy = place / name
    make_repo(copy, {})
    return copy


def age(path: Path) -> None:
    then = time.time() - LONG_AGO
    os.utime(path, (then, then))


def becomes_true(what: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
    return what()


def test_each_living_worker_has_a_place_of_its_own(tmp_path: Path) -> None:
    first, second = Place(tmp_path), Place(tmp_path)
    assert (first.folder.name, second.folder.name) == ("0", "1")

    first.close()
    third = Place(tmp_path)

    assert third.folder == first.folder
    second.close()
    third.close()


def test_no_place_is_found_where_all_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("factory.engines.place._PLACES", 1)
    only = Place(tmp_path)
    with pytest.raises(FileProblem, match="no free place"):
        Place(tmp_path)
    only.close()


def test_what_no_worker_has_used_for_a_month_is_removed(tmp_path: Path) -> None:
    before = Place(tmp_path)
    old, used, new = (a_copy(before.folder, name) for name in NAMES)
    settings = [Setting(root=name, timeout_seconds=1.0) for name in NAMES[:2]]
    for setting in settings:
        before.keep(setting)
    kept = [before.folder / "settings" / f"{sha256_hex(encoded(setting))}.json" for setting in settings]
    for aged in (old / ".git" / "HEAD", used / ".git" / "HEAD", kept[0]):
        age(aged)
    before.mirror(used.name)
    before.close()

    after = Place(tmp_path)

    assert becomes_true(lambda: not old.exists() and not kept[0].exists())
    assert becomes_true(lambda: not [*after.folder.glob("passing-*")])
    assert used.exists()
    assert new.exists()
    assert after.setting(kept[1].stem) == settings[1]
    assert not after.mirror(old.name).exists
    after.close()


def test_what_a_dead_worker_has_left_is_removed_and_what_a_living_one_makes_is_not(tmp_path: Path) -> None:
    before = Place(tmp_path)
    copy = a_copy(before.folder, NAMES[0])
    left = [before.folder / "passing-evidence", copy / ".git" / "incoming-0"]
    left[0].mkdir()
    for file in (left[0] / "report.xml", left[1]):
        file.write_text("cut off")
    before.close()

    after = Place(tmp_path)
    with after.passing() as own:
        assert becomes_true(lambda: not any(path.exists() for path in left))
        assert own.is_dir()
    assert not own.exists()
    assert copy.exists()
    after.close()


def test_what_trials_brought_is_given_back_when_it_has_become_much(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"a.txt": "a\n"})
    root = git(repo, "rev-parse", "HEAD")
    mirror = _supplied(tmp_path / "places" / "0", repo, root)
    for number in range(7_200):
        (repo / f"{number}.txt").write_text(f"{number}\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "many")
    base = git(repo, "rev-parse", "HEAD")
    mirror.add(base, Parcels(Git.open(repo)).addition(base, root)[1])

    Place(tmp_path / "places").mirror(mirror.git.work_tree.name)

    assert mirror.git.commit_id(root) == root
    assert mirror.git.commit_id(base) is None
    assert mirror.git.text("count-objects").startswith("0 objects")


def _supplied(place: Path, repo: Path, root: str) -> Mirror:
    place.mkdir(parents=True)
    copy = place / NAMES[0]
    git(repo, "clone", "-q", "--no-hardlinks", str(repo), str(copy))
    git(copy, "update-ref", f"refs/workorder/roots/{root}", root)
    return Mirror(place, copy.name)
