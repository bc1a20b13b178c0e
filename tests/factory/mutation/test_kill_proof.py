"""What the proof says of a work order, from the fates of its mutants and of what has none."""

from factory.contract.repo_path import RepoPath
from factory.languages.table import LANGUAGES
from factory.mutation.kill_proof import (
    Fate,
    KillProof,
    Unchanged,
    chosen_mutants,
    is_product_code,
    unchangeable,
)

FATE = Fate(
    path="a.py", line=1, operator="boolean", change="x", killed_by="acceptance", noticed_by=("acceptance",)
)
GONE = tuple(Unchanged(path=f"{name}.zig", why="Zig: nobody wrote them") for name in "abcde")


def test_what_has_no_mutants_is_named_in_every_clause() -> None:
    scores = KillProof(verdict="not measured", fates=(), unchanged=GONE).scores

    assert scores is not None
    assert scores.description == "there are no mutants of a.zig, b.zig, c.zig and 2 more"
    assert scores.weakness == ""


def test_it_does_not_hide_what_was_measured() -> None:
    proof = KillProof(verdict="measured", fates=(FATE,), unchanged=GONE[:1])

    assert proof.scores is not None
    assert proof.scores.description == (
        "acceptance notices 1 of 1 change, verification 0; there are no mutants of a.zig"
    )
    assert proof.percent == 100


def test_that_no_change_was_noticed_is_said_for_itself() -> None:
    survivor = FATE.model_copy(update={"killed_by": None, "noticed_by": ()})

    few = KillProof(verdict="measured", fates=(survivor,)).scores
    reached = survivor.model_copy(update={"executed": True})
    passed_over = survivor.model_copy(update={"executed": False})
    many = KillProof(verdict="measured", fates=(reached, passed_over, passed_over)).scores
    noticed = KillProof(verdict="measured", fates=(FATE, survivor)).scores

    assert few is not None
    assert few.shortcoming == (
        "not proven: neither acceptance nor verification notices the one change of what was written"
    )
    assert many is not None
    assert many.shortcoming.endswith(
        "any of the 3 changes of what was written, and they execute 1 of the changed lines"
    )
    assert (many.weakness, many.executed) == ("", 1)
    assert noticed is not None
    assert noticed.shortcoming == ""
    nothing_tried = KillProof(verdict="not measured", fates=(), unchanged=GONE).scores
    assert nothing_tried is not None
    assert nothing_tried.shortcoming == ""


def test_without_anything_there_are_no_scores() -> None:
    assert KillProof(verdict="not measured", fates=()).scores is None


def test_every_language_of_the_table_has_mutants() -> None:
    assert unchangeable([f"a{suffix}" for language in LANGUAGES for suffix in language.suffixes]) == ()


def test_sources_of_known_languages_count_and_tests_do_not() -> None:
    counted = ["a.py", "src/b.ts", "c.jsx", "tests.md", "a.test.ts", "tests/d.py", "tests.py", "e.toml"]
    assert list(filter(is_product_code, counted)) == ["a.py", "src/b.ts", "c.jsx"]


def test_changes_of_logic_come_first_whichever_file_they_are_in() -> None:
    sources = {
        RepoPath.parse("a.py"): "NAME = 'a'\nSIZE = 1\n",
        RepoPath.parse("b.py"): "def f(a, b):\n    if a < b:\n        return a\n    return a + b\n",
    }
    chosen = chosen_mutants(sources, dict.fromkeys(sources, frozenset(range(1, 9))), 3)

    assert [(placed.path, placed.mutant.operator) for placed in chosen] == [
        ("a.py", "number"),
        ("b.py", "comparison"),
        ("b.py", "arithmetic"),
    ]


def test_mutants_are_spread_over_the_files_of_all_languages() -> None:
    sources = {
        RepoPath.parse("a.py"): "def f(a, b):\n    return a < b\n",
        RepoPath.parse("b.ts"): "export function f(a: number, b: number) {\n  return a < b;\n}\n",
    }
    chosen = chosen_mutants(sources, dict.fromkeys(sources, frozenset({2})), 4)

    assert [placed.path for placed in chosen] == ["a.py", "a.py", "b.ts", "b.ts"]
