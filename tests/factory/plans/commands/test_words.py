"""Splitting a command into words, with the memory of how they were quoted."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.plans.commands.words import UnsplittableCommand, simple_commands, split_words

texts = st.text(st.sampled_from(list(" \t\n\r'\"\\$;&|()`<>ab=~1")) | st.characters(), max_size=40)


@given(texts)
def test_words_are_those_of_shlex(command: str) -> None:
    try:
        expected = shlex.split(command)
    except ValueError:
        with pytest.raises(UnsplittableCommand):
            split_words(command)
        return
    words = split_words(command)
    assert [word.text for word in words] == expected
    assert all(len(word.text) == len(word.marks) for word in words)


@given(st.lists(texts, min_size=1))
def test_what_is_quoted_is_one_command_whatever_it_holds(arguments: list[str]) -> None:
    words = split_words(shlex.join(arguments))
    assert simple_commands(words) == (tuple(arguments),)


@pytest.mark.parametrize(
    ("command", "bare", "substitutable"),
    [
        ("a$b", "a$b", "a$b"),
        ("a'$b'", "a\0\0", "a\0\0"),
        ('a"$b"', "a\0\0", "a$b"),
        ('"\\$b"', "\0\0\0", "\0\0b"),
        ('"\\"b"', "\0\0", "\0b"),
        ("\\$b", "\0b", "\0b"),
    ],
)
def test_it_is_known_how_each_character_was_quoted(command: str, bare: str, substitutable: str) -> None:
    (word,) = split_words(command)
    assert (word.bare, word.substitutable) == (bare, substitutable)


@pytest.mark.parametrize(
    ("command", "commands"),
    [
        ("a b", [("a", "b")]),
        ("a&&b||c", [("a",), ("b",), ("c",)]),
        ("a | b; c & d", [("a",), ("b",), ("c",), ("d",)]),
        ("(a; b)", [("a",), ("b",)]),
        ("a > x b", [("a", "b")]),
        ("a >x b 2>&1 c", [("a", "b", "c")]),
        ("a < '' b", [("a", "b")]),
        ("a 'b;c' \"d|e\"", [("a", "b;c", "d|e")]),
        ("a\nb", [("a",), ("b",)]),
        ("a $(b c) d", [("a", "$"), ("b", "c"), ("d",)]),
        ("''", [("",)]),
        ("", []),
        (";;", []),
    ],
)
def test_a_shell_would_cut_here(command: str, commands: list[tuple[str, ...]]) -> None:
    assert list(simple_commands(split_words(command))) == commands
