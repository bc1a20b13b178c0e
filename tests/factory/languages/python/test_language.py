"""Python behind the port: what of it is not held where it is made."""

from pathlib import Path

from factory.languages.port import Address
from factory.languages.python.language import PYTHON

ROOT = Path(__file__).resolve().parents[4]


def test_a_new_project_begins_with_the_template_of_its_script() -> None:
    assert PYTHON.starter([])["scripts/verify.sh"] == (ROOT / "templates" / "verify.sh").read_text("utf-8")


def test_a_symbol_is_looked_up_in_every_project_or_below_one_root() -> None:
    files = {"a/pkg/m.py": b"def f(x: int): ...\n", "b/pkg/m.py": b"def f(y: str): ...\n"}
    files |= {"a/pkg/__init__.py": b"", "b/pkg/__init__.py": b""}
    codebase = PYTHON.codebase(frozenset(files), files.get)
    address = Address("pkg.m", "f")

    everywhere = [symbol.text for symbol in codebase.find(address).symbols]
    assert everywhere == ["pkg.m:f(x: int)", "pkg.m:f(y: str)"]
    assert [symbol.text for symbol in codebase.find(address, "b").symbols] == ["pkg.m:f(y: str)"]
    assert codebase.find(address, "").problem == "there is no such module"


def test_a_promise_is_kept_wherever_the_definition_is() -> None:
    promised = PYTHON.parse_symbol("pkg:f(x: int) -> str")

    assert PYTHON.keeps(PYTHON.parse_symbol("pkg.m:f(x: int) -> str"), promised)
    assert not PYTHON.keeps(PYTHON.parse_symbol("pkg.m:f(x: str) -> str"), promised)


def test_a_source_of_nobody_is_not_there() -> None:
    codebase = PYTHON.codebase(frozenset(), lambda _path: b"def f(): ...\n")
    assert codebase.find(Address("pkg", "f"), "").problem == "there is no such module"
