"""What `forbidden` holds: paths as before, and words, kept letter for letter, never taken for a path."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.contract.canonical import dump
from factory.contract.documents import schema_problems
from factory.contract.identity import contract_hash, contract_trailers, run_id
from factory.contract.repo_path import Prose, RepoPath, forbids
from factory.contract.work_order import WorkOrder
from factory.plans.states.forbidden import contradictions, named_paths

FILES = frozenset(
    {"README.md", "lifesim/core.py", "lifesim/ui/screen.py", "my notes/today.md", "tests/test_a.py"}
)
BASIC: dict[str, Any] = {
    "id": "WO-01",
    "title": "t",
    "intent": "i",
    "allowed_files": ["src/a.py"],
    "acceptance_commands": ["true"],
}


def order(*forbidden: str, **fields: object) -> WorkOrder:
    return WorkOrder.model_validate({**BASIC, "forbidden": list(forbidden), **fields})


WORDS = (
    "Do not modify any lifesim/ source files",
    " src/a.py",
    "Do not touch docs/",
    "Never change *.py files in /etc or C:\\ or ../..",
    "Leave README.md alone.\nAnd its neighbours.",
    "nothing ",
)


@pytest.mark.parametrize("text", WORDS)
def test_words_are_kept_letter_for_letter(text: str) -> None:
    read = order(text)

    assert isinstance(read.forbidden[0], Prose)
    assert dump(read)["forbidden"] == [text]  # type: ignore[call-overload, index]
    assert WorkOrder.model_validate(json.loads(json.dumps(dump(read)))) == read


def test_what_holds_no_blank_is_a_path_and_judged_as_one() -> None:
    read = order("docs/", "src", "a.py")
    assert [type(entry) for entry in read.forbidden] == [RepoPath] * 3
    assert read.forbidden == ("docs", "src", "a.py")


@pytest.mark.parametrize(
    "value",
    ["", " ", "../", "/etc/passwd", "src/*.py", ".git/config", "a\\b", "say\x1b[2J it", "hid\u200bden it"],
)
def test_what_is_neither_is_refused_at_its_place(value: str) -> None:
    (problem,) = schema_problems(WorkOrder, {**BASIC, "forbidden": ["docs", value]})
    assert (problem.pointer, problem.kind) == ("/forbidden/1", "unsafe_path")


def test_a_value_of_another_type_is_refused_as_before() -> None:
    (problem,) = schema_problems(WorkOrder, {**BASIC, "forbidden": [1]})
    assert (problem.pointer, problem.kind, problem.message) == (
        "/forbidden/0",
        "string_type",
        "must be a string",
    )


def test_words_that_were_taken_for_a_path_keep_the_hash_of_their_work_order() -> None:
    # The hashes are those of the time when such words were a path without its last slash.
    read = order("Do not touch docs/")
    assert contract_hash(read) == contract_hash(order("Do not touch docs")) == PINNED
    assert contract_trailers(read) == contract_trailers(order("Do not touch docs"))
    assert run_id(read, "0" * 40) == PINNED_RUN


PINNED = "522838495dff5c4a1c5b14e011c385b2a6e2331258a516dbe6ebeaf5980e919a"
PINNED_RUN = "50e30b012dbc68f9"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Do not modify any lifesim/ source files", ["lifesim"]),
        (
            "Don't touch `lifesim/core.py`, README.md or lifesim/ui.",
            ["lifesim/core.py", "README.md", "lifesim/ui"],
        ),
        ("No new modules below ./lifesim/plugins/ and vendor/", ["lifesim/plugins", "vendor"]),
        (" README.md", ["README.md"]),
        ("my notes/today.md", ["my notes/today.md"]),
        ("my notes/", ["my notes"]),
        ("Change neither lifesim/gone.py nor core.py nor ../ nor /", []),
        ("Nothing else", []),
    ],
)
def test_a_word_counts_if_the_repository_has_it_or_a_slash_ends_it(text: str, named: list[str]) -> None:
    assert list(named_paths(Prose(text), FILES)) == named


@given(st.text(st.sampled_from("ab/. `,*\n")), st.frozensets(st.sampled_from(["a", "b/a", "a b/b", "b/b/a"])))
def test_whatever_the_words_are_what_they_name_is_safe_and_there_or_has_a_slash(
    text: str, files: frozenset[str]
) -> None:
    for path in named_paths(Prose(text), files):
        assert RepoPath.parse(path) == path
        there = any(RepoPath(file).is_within(path) for file in files)
        assert there or f"{path}/" in text


@pytest.mark.parametrize(
    ("entry", "path", "is_forbidden"),
    [
        ("src/", "src/a.py", True),
        ("src/a.py", "src/a.py", True),
        (" src/a.py", "src/a.py", True),
        ("Do not modify src/a.py", "src/a.py", True),
        ("Never change the file `src/a.py`.", "src/a.py", True),
        ("my notes/", "my notes/a.md", True),
        ("Do not modify src/", "src/a.py", False),
        ("Do not change the signatures in src/a.py", "src/a.py", False),
        ("Do not modify any file except src/a.py", "src/a.py", False),
        ("src2", "src/a.py", False),
    ],
)
def test_words_forbid_an_allowed_file_only_if_they_say_just_that(
    entry: str, path: str, is_forbidden: bool
) -> None:
    assert forbids(order(entry).forbidden[0], RepoPath(path)) is is_forbidden
    found = list(contradictions([RepoPath(path)], order("x", entry).forbidden))
    assert found == ([(1, path)] if is_forbidden else [])


@pytest.mark.parametrize(
    ("forbidden", "contradicting"),
    [
        (("Do not modify src/a.py", "src2"), []),
        (("src/a.py",), [(0, "src/a.py")]),
        (("Do not modify src/a.py", "b.py"), [(0, "src/a.py"), (1, "b.py")]),
        (("Do not modify src/a.py", "Do not modify b.py"), [(0, "src/a.py"), (1, "b.py")]),
    ],
)
def test_words_narrow_what_is_allowed_and_contradict_it_only_where_nothing_is_left(
    forbidden: tuple[str, ...], contradicting: list[tuple[int, str]]
) -> None:
    allowed = [RepoPath("src/a.py"), RepoPath("b.py")]
    assert list(contradictions(allowed, order(*forbidden).forbidden)) == contradicting
