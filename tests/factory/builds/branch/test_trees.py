"""Trees made of changes are what git would make of the same files."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.builds.branch.trees import Trees, collisions, folded, tree_of
from factory.system.git.changes import Change, Changes, Entry, changes
from factory.system.git.client import Git
from tests.support.repositories import commit_files, git, make_repo

FILES = {"a.txt": "a\n", "b/c.txt": "c\n", "b/d/e.txt": "e\n", "x y/ü\n.txt": "odd\n"}


class Place:
    """A repository and a directory for indexes."""

    def __init__(self, folder: Path) -> None:
        self.repo = make_repo(folder / "repo", FILES)
        self.git = Git.open(self.repo)
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.trees = Trees(self.git, self.scratch)
        self.first = git(self.repo, "rev-parse", "HEAD")

    def commit(self, files: Mapping[str, str | None]) -> str:
        """A commit on top of the first one; None removes a file."""
        git(self.repo, "checkout", "--quiet", "--detach", self.first)
        for path, content in files.items():
            if content is None:
                git(self.repo, "rm", "--quiet", "--", path)
        written = {path: content for path, content in files.items() if content is not None}
        return commit_files(self.repo, written)

    def tree(self, commit: str) -> str:
        return tree_of(self.git, commit)

    def made(self, files: Mapping[str, str | None]) -> Changes:
        return changes(self.git, self.first, self.commit(files))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize(
    "files",
    [
        {"a.txt": "changed\n"},
        {"new/deep/er.txt": "n\n", "a.txt": None},
        {"b/c.txt": None, "b/d/e.txt": None, "b": "a file now\n"},
        {"a.txt": None, "a.txt/inside": "a directory now\n"},
        {"x y/ü\n.txt": None, "-z": "\n", "tab\t.txt": ""},
    ],
)
def test_what_is_applied_again_gives_the_same_tree(place: Place, files: dict[str, str | None]) -> None:
    commit = place.commit(files)
    made = changes(place.git, place.first, commit)

    assert set(made) == set(files)
    assert place.trees.with_changes(place.tree(place.first), made) == place.tree(commit)
    assert collisions(place.git, place.first, made) == ()
    # Taken back, it is the first tree again.
    back = {path: Change(change.after, change.before) for path, change in made.items()}
    assert place.trees.with_changes(place.tree(commit), back) == place.tree(place.first)


def test_the_mode_and_links_travel_with_a_change(place: Place) -> None:
    git(place.repo, "checkout", "--quiet", "--detach", place.first)
    (place.repo / "a.txt").chmod(0o755)
    (place.repo / "link").symlink_to("a.txt")
    commit = commit_files(place.repo, {})

    made = changes(place.git, place.first, commit)

    assert [(path, change.after and change.after.mode) for path, change in made.items()] == [
        ("a.txt", "100755"),
        ("link", "120000"),
    ]
    assert place.trees.with_changes(place.tree(place.first), made) == place.tree(commit)


@pytest.mark.parametrize(
    ("tip", "wanted", "colliding"),
    [
        ({"a.txt": "theirs\n"}, {"b/c.txt": "ours\n"}, ()),
        ({"a.txt": "theirs\n"}, {"a.txt": "ours\n", "b/c.txt": "ours\n"}, ("a.txt",)),
        ({"new.txt": "theirs\n"}, {"new.txt": "ours\n"}, ("new.txt",)),
        ({"a.txt": None}, {"a.txt": "ours\n"}, ("a.txt",)),
        ({"new": "a file\n"}, {"new/below.txt": "ours\n"}, ("new/below.txt",)),
        ({"new/below.txt": "theirs\n"}, {"new": "a file\n"}, ("new",)),
        ({"b/new.txt": "theirs\n"}, {"b/d/new.txt": "ours\n"}, ()),
    ],
)
def test_collisions_are_what_is_not_as_it_was(
    place: Place, tip: dict[str, str | None], wanted: dict[str, str | None], colliding: tuple[str, ...]
) -> None:
    made = place.made(wanted)

    assert collisions(place.git, place.commit(tip), made) == colliding


def test_the_same_base_has_the_same_name_at_any_time_and_for_anybody(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [place.made({"a.txt": "one\n"}), place.made({"b/c.txt": "two\n"})]
    names = set()
    for who, when in (("Ada", "2020-01-01T00:00:00Z"), ("Bob", "2030-01-01T00:00:00Z")):
        monkeypatch.setenv("GIT_AUTHOR_NAME", who)
        monkeypatch.setenv("GIT_COMMITTER_DATE", when)
        names.add(place.trees.base(place.first, made, "WO-03"))

    assert len(names) == 1
    base = names.pop()
    assert git(place.repo, "show", f"{base}:a.txt") == "one"
    assert git(place.repo, "show", f"{base}:b/c.txt") == "two"
    assert place.trees.base(place.first, [], "WO-01") == place.first


def test_only_a_few_indexes_are_kept(place: Place) -> None:
    tree = place.tree(place.first)
    for number in range(9):
        tree = place.trees.with_changes(tree, place.made({"n.txt": f"{number}\n"}))

    assert len(list(place.scratch.iterdir())) <= 4
    # A tree whose index was dropped can still be started from.
    made = place.made({"a.txt": "again\n"})
    assert place.trees.with_changes(place.tree(place.first), made) == place.tree(
        place.commit({"a.txt": "again\n"})
    )


def test_a_file_takes_the_place_of_a_directory_of_its_name(place: Place) -> None:
    made = place.made({"new": "a file\n"})
    tip = place.commit({"new/below.txt": "theirs\n"})

    tree = place.trees.with_changes(place.tree(tip), made)

    # No candidate of a build comes so far: `collisions` is asked before.
    assert git(place.repo, "ls-tree", "-r", "--name-only", tree, "--", "new") == "new"


ENTRIES = st.one_of(
    st.none(), st.builds(Entry, st.sampled_from(["100644", "100755"]), st.sampled_from("xyz"))
)
PARTS = st.dictionaries(st.sampled_from("abcd"), ENTRIES)


@settings(max_examples=200)
@given(PARTS, st.lists(PARTS, max_size=5))
def test_folding_is_applying_one_after_the_other(
    first: dict[str, Entry | None], steps: list[dict[str, Entry | None]]
) -> None:
    now, parts = dict(first), []
    for step in steps:
        parts.append({path: Change(now.get(path), after) for path, after in step.items()})
        now |= step

    changes = folded(parts)

    assert list(changes) == sorted(changes)
    assert {path: first.get(path) for path in changes} == {
        path: change.before for path, change in changes.items()
    }
    assert dict(first) | {path: change.after for path, change in changes.items()} == now
    halves = folded([folded(parts[:2]), folded(parts[2:])])
    assert halves == changes
