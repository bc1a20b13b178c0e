"""Go, as the port asks for it: outlines, imports, mutants, marks and what a module begins with."""

import os
import subprocess
from pathlib import Path

import pytest

from factory.languages.go.language import GO
from factory.languages.trees.tree import parse
from tests.support.golden import assert_golden
from tests.support.toolchains import needs_go

SOURCE = (Path(__file__).parent / "slug.go.txt").read_text("utf-8")
EVERYTHING = range(1, 1_000)


@pytest.fixture(scope="module")
def go_home(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("go-home")
    # Its cache has read-only directories only for modules, of which there are none here.
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "GOCACHE": str(home / "cache"),
        "GOFLAGS": "-mod=mod",
    }


@pytest.mark.golden
def test_the_outline_of_a_package() -> None:
    test = b"package slug\n\nfunc TestSlugify(t *testing.T) {}\n\ntype fake struct{}\n"
    shown = [
        GO.outline("slug/slug.go", SOURCE.encode()).text,
        GO.names("slug/slug.go", SOURCE.encode()).text,
        GO.names("slug/slug_test.go", test).text,
        GO.outline(
            "cmd/main.go", b"package main\n\nfunc main() {}\n\nfunc run(args []string) int { return 0 }\n"
        ).text,
    ]
    assert_golden("outline.txt", "\n\n".join(shown) + "\n")


@pytest.mark.golden
def test_the_mutants_of_a_package() -> None:
    mutants = GO.mutants("slug/slug.go", SOURCE, EVERYTHING, limit=1_000)
    assert all(not parse(GO.grammar("slug/slug.go"), mutant.source.encode()).problem for mutant in mutants)
    lines = [f"{mutant.line}: {mutant.operator}: {mutant.description}" for mutant in mutants]
    assert_golden("mutants.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("a_test.go", True),
        ("x/testdata/a.go", True),
        ("a.go", False),
        ("test/a.go", False),
        ("testdata.go", False),
    ],
)
def test_tests_are_told_by_their_names(path: str, is_test: bool) -> None:
    assert GO.is_test(path) is is_test


@pytest.mark.parametrize(
    ("source", "imported"),
    [
        ('package p\nimport "fmt"\n', set()),
        ('package p\nimport ("net/http"; e "example.com/a/b"; _ "gopkg.in/yaml.v3")\n',
         {"example.com/a/b", "gopkg.in/yaml.v3"}),
        ('package p\nimport "slug/inner"\nimport "./near"\nimport "C"\n', set()),
        ("package p\nimport (\n", None),
    ],
)  # fmt: skip
def test_imports_of_others(source: str, imported: set[str] | None) -> None:
    assert GO.imports("a.go", source.encode()) == imported


def test_a_module_is_verified_and_other_folders_are_not() -> None:
    def words(*files: str) -> list[str]:
        return [" ".join(verification.words) for verification in GO.verification(files, {}.get)]

    assert words("go.mod", "a.go", "a_test.go") == ["go vet ./...", "go test ./..."]
    # That no test ran would be told of a command that was to run some.
    assert words("go.mod", "a.go") == ["go vet ./..."]
    assert GO.verification({"a.go"}, {}.get) == ()
    # `go vet` fails where there is no package.
    assert words("go.mod", "testdata/a.go", "tool/go.mod", "tool/a.go") == []
    assert words("go.mod", "slug/slug.go") == ["go vet ./..."]


@needs_go
def test_marks_tell_what_is_executed(tmp_path: Path, go_home: dict[str, str]) -> None:
    marks = {line: str(tmp_path / f"mark {line}") for line in (11, 13, 18, 36)}
    source = GO.marked("slug.go", SOURCE, marks)
    assert source is not None
    (tmp_path / "go.mod").write_text("module example.com/slug\n\ngo 1.19\n", "utf-8")
    (tmp_path / "slug.go").write_text(source, "utf-8")
    test = 'package slug\n\nimport "testing"\n\nfunc TestIt(t *testing.T) { Slugify("a", Options{}) }\n'
    (tmp_path / "slug_test.go").write_text(test, "utf-8")
    done = subprocess.run(
        ["go", "test", "./..."], cwd=tmp_path, env=go_home, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert {line for line, path in marks.items() if Path(path).exists()} == {36}


@needs_go
def test_the_starter_verifies_a_new_module(tmp_path: Path, go_home: dict[str, str]) -> None:
    for path, text in GO.starter(()).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    (tmp_path / "go.mod").write_text("module example.com/slug\n\ngo 1.19\n", "utf-8")
    (tmp_path / "slug.go").write_text(SOURCE, "utf-8")
    test = tmp_path / "slug_test.go"
    verify = ["bash", "scripts/verify.sh"]
    for body, passes in (("", True), ('t.Fatal("no")', False)):
        test.write_text(
            f'package slug\n\nimport "testing"\n\nfunc TestIt(t *testing.T) {{ {body} }}\n', "utf-8"
        )
        done = subprocess.run(verify, cwd=tmp_path, env=go_home, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) is passes, done.stdout + done.stderr
