"""The names of modules: those that a repository's own code imports them by, and never another file's."""

import pytest

from factory.languages.python.module_files import ModuleFiles


@pytest.mark.parametrize(
    ("path", "others", "expected"),
    [
        ("a.py", [], ("a", "")),
        ("pkg/a.py", ["pkg/__init__.py"], ("pkg.a", "")),
        ("pkg/__init__.py", [], ("pkg", "")),
        ("pkg/__main__.py", ["pkg/__init__.py"], ("pkg.__main__", "")),
        ("src/pkg/a.py", ["src/pkg/__init__.py"], ("pkg.a", "src")),
        ("src/a.py", [], ("a", "src")),
        ("src/__init__.py", [], ("src", "")),
        ("back/src/ns/a.py", [], ("ns.a", "back/src")),
        # A package of a namespace, one of a project inside the repository, and one in a mere folder.
        ("google/cloud/storage/a.py", ["google/cloud/storage/__init__.py"], ("google.cloud.storage.a", "")),
        ("libs/x/pkg/a.py", ["libs/x/pkg/__init__.py", "libs/x/pyproject.toml"], ("pkg.a", "libs/x")),
        ("libs/x/pkg/a.py", ["libs/x/pkg/__init__.py", "pyproject.toml"], ("libs.x.pkg.a", "")),
        # No name, or another file's.
        ("my-script.py", [], None),
        ("import/a.py", [], None),
        ("2to3/a.py", [], None),
        ("__init__.py", [], None),
        ("libs/x/src/a.py", ["a.py"], None),
        ("libs/x/src/a.py", ["libs/b/src/a.py"], None),
        ("pkg/__init__.py", ["pkg.py"], None),
    ],
)
def test_the_name_of_a_module(path: str, others: list[str], expected: tuple[str, str] | None) -> None:
    modules = ModuleFiles(frozenset([path, *others]))

    assert modules.module(path) == expected
    if expected is not None:
        assert modules.roots(expected[0])[0] == expected[1]


def test_a_module_that_is_not_there_has_no_root() -> None:
    assert ModuleFiles(frozenset(["pkg/a.py"])).roots("pkg.b") == ()
