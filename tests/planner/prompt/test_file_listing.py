"""The list of a repository's files takes its part of the limit, and folds what has no room."""

from factory.llm.port import estimate_tokens
from planner.prompt.file_listing import file_listing

LARGE = frozenset(f"src/part{i % 7}/deep/module_{i:05}.py" for i in range(9_000)) | {"README.md", "src/a.py"}


def test_files_are_listed_sorted_and_quoted() -> None:
    listing = file_listing(frozenset({"b.py", "a/é.py", "with\nnewline", "bad\udcff"}), 1_000)

    assert listing.text.splitlines() == ['"a/é.py"', '"b.py"', '"bad\\udcff"', '"with\\nnewline"']
    assert listing.tokens == estimate_tokens(listing.text)
    assert listing.left_out == ()


def test_a_new_repository_takes_nothing() -> None:
    assert file_listing(frozenset(), 0).text == "(no files: the repository is new)"
    assert file_listing(frozenset(), 0).tokens == 0


def test_the_deepest_directories_are_folded_first() -> None:
    listing = file_listing(LARGE, 1_000)

    assert listing.text.splitlines() == [
        '"README.md"',
        '"src/a.py"',
        *(f'"src/part{i}/deep/" ({1286 if i < 5 else 1285} files)' for i in range(7)),
    ]
    assert listing.tokens <= 1_000
    assert listing.names == ("README.md", "src/a.py")
    assert len(listing.left_out) == 9_000


def test_with_less_room_more_is_folded() -> None:
    assert file_listing(LARGE, 20).text.splitlines() == ['"README.md"', '"src/" (9001 files)']


def test_a_list_without_room_is_left_out() -> None:
    listing = file_listing(frozenset(f"module_{i:06}.py" for i in range(20_000)), 12_000)

    assert listing.text == "(20,000 files: there is no room for their names)"
    assert listing.tokens == 0
    assert len(listing.left_out) == 20_000


def test_what_just_fits_is_listed() -> None:
    files = frozenset({"a.py", *(f"b/{name}.py" for name in "cdefgh")})
    whole = file_listing(files, 1_000)

    assert file_listing(files, whole.tokens).text == whole.text
    assert file_listing(files, whole.tokens - 1).text == '"a.py"\n"b/" (6 files)'
