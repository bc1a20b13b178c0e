"""Notes: all the Markdown below a directory, or a reason why not, before a model is paid."""

import os
from pathlib import Path

import pytest

from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_NOTES_BYTES
from factory.contract.note import Note, notes_hash
from factory.system.notes import read_notes
from tests.support.repositories import Files, write_files


def test_the_markdown_below_a_directory_is_read_in_order(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "b.md": "b\n",
            "a/z.md": "z\n",
            "a.md": "a\n",
            "What is {{X}}?.md": "",
            "c.txt": "no",
            "c.MD": "no",
            ".hidden.md": "no",
            ".git/d.md": "no",
        },
    )
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "picture.png").symlink_to("/dev/zero")

    assert read_notes(tmp_path) == (
        Note("What is {{X}}?.md", ""),
        Note("a.md", "a\n"),
        Note("a/z.md", "z\n"),
        Note("b.md", "b\n"),
    )


def test_no_directory_means_no_notes() -> None:
    assert read_notes(None) == ()
    assert notes_hash(()) is None


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "holds no Markdown"),
        ({"a.txt": "x"}, "holds no Markdown"),
        ({"a.md": b"Gr\xfc\xdfe"}, "a.md: is not UTF-8 (byte 2)"),
        ({"sub/a.md": "a\0b"}, "sub/a.md: holds NUL"),
        ({"a.md": "x" * (MAX_NOTES_BYTES + 1)}, "a.md: is larger than 200,000 bytes"),
        ({"a.md": "x" * MAX_NOTES_BYTES, "b.md": "y"}, "more than 200,000 bytes together"),
    ],
)
def test_what_cannot_be_shown_is_refused(files: Files, message: str, tmp_path: Path) -> None:
    write_files(tmp_path, files)

    with pytest.raises(WorkorderError) as refused:
        read_notes(tmp_path)

    assert message in str(refused.value)


def test_links_pipes_odd_names_and_places_that_are_no_directory_are_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"secret": "s", "notes/a.md": "a\n", "file": "x"})
    linked = tmp_path / "notes" / "b.md"

    linked.symlink_to(tmp_path / "secret")
    with pytest.raises(WorkorderError, match=r"b\.md: is a symbolic link"):
        read_notes(tmp_path / "notes")
    linked.unlink()
    os.mkfifo(linked)
    with pytest.raises(WorkorderError, match=r"b\.md: is a special file"):
        read_notes(tmp_path / "notes")
    linked.unlink()
    (tmp_path / "notes" / os.fsdecode(b"\xff.md")).write_text("x")
    with pytest.raises(WorkorderError, match="has a name that is not UTF-8"):
        read_notes(tmp_path / "notes")
    for name in ("none", "file"):
        with pytest.raises(WorkorderError, match=f"{name}: can't be read"):
            read_notes(tmp_path / name)


def test_the_hash_tells_notes_apart() -> None:
    notes = [(Note("a", "b"),), (Note("ab", ""),), (Note("a", ""), Note("b", "")), (Note("b", "a"),)]

    assert len({notes_hash(variant) for variant in notes}) == 4
