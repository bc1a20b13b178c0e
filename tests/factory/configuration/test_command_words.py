"""Commands are split as they are executed, and what only a shell would do is seen where it is not quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.configuration.command_words import shell_syntax, words_of


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("python -c 'print(1)'", ("python", "-c", "print(1)")),
        ("a && b | c > d", ("a", "&&", "b", "|", "c", ">", "d")),
        ("echo $HOME `id` ~ *", ("echo", "$HOME", "`id`", "~", "*")),
        ("a\nb\t c", ("a", "b", "c")),
        ("echo ''", ("echo", "")),
    ],
)
def test_no_shell_reads_a_command(command: str, words: tuple[str, ...]) -> None:
    assert words_of(command) == words


@pytest.mark.parametrize(
    ("command", "piece"),
    [
        ("a && b", "&&"),
        ("a | b", "|"),
        ("a; b", ";"),
        ("a 2>&1", ">&"),
        ("a > log", ">"),
        ("(a)", "("),
        ("a `b`", "`"),
        ('a "`b`"', "`"),
        ("a $HOME", "$HOME"),
        ('a "$HOME/x"', "$HOME"),
        ("a ${HOME}", "${"),
        ("a $(b)", "$("),
        ("A=1 b", "A="),
        ("a ~/b", "~"),
        ("a ~", "~"),
    ],
)
def test_what_only_a_shell_understands(command: str, piece: str) -> None:
    assert shell_syntax(command) == piece


@pytest.mark.parametrize(
    "command",
    [
        "ruff check .",
        "a 'b && c' \"d | e\"",
        "a \\&\\& b",
        'grep "a\\$HOME" b',
        "grep 'x$' y",
        "grep x$ y",
        "a '$HOME `b`'",
        "pytest -k a*",
        "a --b=c",
        "a b~ c~d",
        "a 'it'\"'\"'s'",
    ],
)
def test_what_is_quoted_or_means_nothing_to_a_shell(command: str) -> None:
    assert shell_syntax(command) is None


@given(st.text())
def test_any_quoted_text_can_be_said(text: str) -> None:
    if "'" not in text:
        assert shell_syntax(f"echo '{text}'") is None
