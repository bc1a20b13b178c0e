"""`factory cache`: what a user sees of the environments that are kept, and removes of them."""

import os
import re
from pathlib import Path

import pytest

from factory.cli import main
from factory.environments.cache import CACHE_VARIABLE, Cache


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """One with an environment that was used in 2001, and one that was used just now."""
    shared = Path(os.environ[CACHE_VARIABLE])
    # Root keeps environments only where other users may enter.
    own = shared / f"cache-of-{tmp_path_factory.mktemp('cache').name}-{os.getpid()}"
    monkeypatch.setenv(CACHE_VARIABLE, str(own))
    cache = Cache(own / "environments")
    for name in ("old", "new"):
        with cache.entry(name, lambda folder, _final: (folder / "file").write_bytes(b"x" * 100_000) and None):
            pass
    os.utime(cache.folder / "old.lock", (1_000_000_000, 1_000_000_000))
    return cache


def test_it_lists_what_is_kept(cache: Cache, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "list"]) == 0

    first, new, old, last = capsys.readouterr().out.splitlines()
    assert first == str(cache.folder)
    assert re.fullmatch(r"  new      0\.1 MB  last used \d{4}-\d\d-\d\d", new)
    assert old == "  old      0.1 MB  last used 2001-09-09"
    assert last == "2 environments, 0.2 MB"


def test_it_removes_what_was_not_used_for_long(cache: Cache, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "prune"]) == 0

    assert capsys.readouterr().out == "removed old\n"
    assert [entry.name for entry in cache.entries()] == ["new"]


def test_it_keeps_what_was_used_within_the_days(cache: Cache, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "prune", "--older-than", "20000"]) == 0

    assert capsys.readouterr().out == "there was nothing to remove\n"
    assert len(cache.entries()) == 2


def test_it_removes_all_but_what_is_in_use(cache: Cache, capsys: pytest.CaptureFixture[str]) -> None:
    with cache.entry("new", lambda _folder, _final: None):
        assert main(["cache", "prune", "--all"]) == 0

        assert capsys.readouterr().out == "removed old\nin use, so it stays: new\n"
        assert [entry.name for entry in cache.entries()] == ["new"]


def test_of_a_place_without_environments_it_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "none"))

    assert main(["cache", "list"]) == 0

    assert capsys.readouterr().out == f"no environments are kept in {tmp_path}/none/environments\n"
    assert not (tmp_path / "none").exists()


def test_a_place_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, "relative")

    assert main(["cache", "list"]) == 8

    assert CACHE_VARIABLE in capsys.readouterr().err
