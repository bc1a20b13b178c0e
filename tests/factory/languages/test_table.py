"""The table of languages: which one a file, a symbol or a repository is in; what holds for each of them."""

import subprocess
from pathlib import Path

import pytest

from factory.languages.features import FEATURES, lacking
from factory.languages.port import Language
from factory.languages.table import (
    LANGUAGES,
    language_of,
    language_of_symbol,
    languages_in,
    languages_of_text,
)


def key(language: Language) -> str:
    return language.key


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.py", "python"),
        ("src/pkg/a.py", "python"),
        ("slug/a_test.go", "go"),
        ("src/lib.rs", "rust"),
        ("a.PY", None),
        (".py", None),
        ("py", None),
        ("a.py/b", None),
        ("README.md", None),
    ],
)
def test_a_source_is_known_by_the_end_of_its_name(path: str, expected: str | None) -> None:
    language = language_of(path)
    assert (language.key if language else None) == expected


@pytest.mark.parametrize(
    "text",
    [
        "pkg.module:name(x: int) -> str",
        "async pkg.module:name() -> None",
        "@property pkg.module:Class.size(self) -> int",
        "pkg:NAME: dict[str, int]",
        "pkg.py:Name",
        "no symbol at all",
        "",
        ":",
    ],
)
def test_a_symbol_without_a_file_is_python(text: str) -> None:
    assert language_of_symbol(text).key == "python"


def test_a_repository_may_hold_none() -> None:
    assert languages_in([]) == ()
    assert languages_in(["README.md", "py/readme", "docs/.py"]) == ()
    assert [language.key for language in languages_in(["docs/a.md", "x/pyproject.toml"])] == ["python"]


@pytest.mark.parametrize("language", LANGUAGES, ids=key)
class TestLanguage:
    def test_its_name_and_suffixes_are_its_own(self, language: Language) -> None:
        assert [other for other in LANGUAGES if other.key == language.key] == [language]
        for suffix in language.suffixes:
            assert suffix.startswith(".")
            assert language_of(f"folder/name{suffix}") == language

    def test_a_repository_with_a_source_or_a_project_file_holds_it(self, language: Language) -> None:
        for name in (*language.project_files, *(f"a{suffix}" for suffix in language.suffixes)):
            assert language in languages_in([f"folder/{name}", "README.md"])

    def test_its_verification_has_a_name_for_each_command(self, language: Language) -> None:
        files = [*language.project_files, *(f"a{suffix}" for suffix in language.suffixes)]
        commands = language.verification(files, lambda _path: b"")
        names = [command.name for command in commands]
        assert len(names) == len(set(names))
        assert all(command.words and all(command.words) for command in commands)

    def test_a_new_project_begins_with_a_script_and_an_ignore_list(self, language: Language) -> None:
        files = language.starter([])
        assert set(files) == {"scripts/verify.sh", ".gitignore"}
        assert files["scripts/verify.sh"].startswith("#!/usr/bin/env bash\n")
        assert all(text.endswith("\n") for text in files.values())

    def test_its_script_passes_where_nothing_is_written_yet(self, language: Language, tmp_path: Path) -> None:
        if language.key == "python":
            pytest.skip("it runs pytest, which finds no test")
        (tmp_path / "scripts").mkdir()
        (tmp_path / "scripts/verify.sh").write_text(language.starter([])["scripts/verify.sh"])
        done = subprocess.run(["bash", "scripts/verify.sh"], cwd=tmp_path, timeout=60, capture_output=True)
        assert done.returncode == 0, done.stderr

    def test_hostile_sources_are_answered(self, language: Language) -> None:
        path = f"a{language.suffixes[0]}"
        for data in (
            b"",
            b"\0",
            b"\xff\xfe",
            b"(" * 10_000,
            b"}" * 100,
            b"'",
            b"def f(:\n",
            b"x = [" * 5_000,
        ):
            codebase = language.codebase(frozenset([path]), {path: data}.get)
            for outlined in (codebase.outline(path), codebase.summary(path), codebase.names(path)):
                assert not (outlined.text and outlined.problem)
            language.imports(path, data)
            text = data.decode("utf-8", "replace")
            language.mutants(path, text, range(1, 10), limit=5)
            language.marked(path, text, {1: "/nowhere"})

    def test_what_it_lacks_is_a_known_feature_with_a_reason(self, language: Language) -> None:
        assert set(language.lacks) <= set(FEATURES)
        assert all(lacking(language).values())
        assert list(lacking(language)) == [feature for feature in FEATURES if feature in lacking(language)]

    def test_its_own_words_and_name_speak_of_it_and_of_no_other(self, language: Language) -> None:
        speaking = f"A library in {language.name.partition('/')[0]}."
        assert languages_of_text(speaking) == (language,)
        assert languages_of_text("Go to the next page; a rusty node in the typescript of a play.") == ()

    def test_what_compiles_it_is_no_test_of_it(self, language: Language) -> None:
        files = [*language.project_files, *(f"a{suffix}" for suffix in language.suffixes)]
        words = language.compiling(files, {"package.json": b"{}"}.get)
        assert not words or words[0] in language.programs
        assert "test" not in words
