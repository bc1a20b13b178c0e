"""What no prompt shows: the large specification, requirement by requirement."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from shelf_db.query import QueryProblem, find, parse_query
from shelf_db.store import Store, StoreProblem
from shelf_db.values import ValueProblem, format_value, parse_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ("12", 12),
        ("-3", -3),
        ("007", 7),
        ("1.5", "1.5"),
        ("True", "True"),
        ("[]", []),
        ("[a, b]", ["a", "b"]),
        ("[ a b ,c]", ["a b", "c"]),
        ('"12"', "12"),
        ('"a\\"b\\\\c"', 'a"b\\c'),
        ('""', ""),
        ("a b", "a b"),
        ("-", "-"),
        ("+1", "+1"),
        ('a"b', 'a"b'),
        ("a]", "a]"),
        ("--1", "--1"),
    ],
)
def test_s3_reading(text: str, value: object) -> None:
    read = parse_value(text)
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (False, "false"),
        (12, "12"),
        (-3, "-3"),
        ("12", '"12"'),
        ("true", '"true"'),
        ("", '""'),
        (" a", '" a"'),
        ("a ", '"a "'),
        ('"a', '"\\"a"'),
        ("a b", "a b"),
        ('a"b', 'a"b'),
        ("[x", '"[x"'),
        ("[]", '"[]"'),
        ([], "[]"),
        (["a", "b c"], "[a, b c]"),
        ("a\\b", "a\\b"),
        ("-1", '"-1"'),
        ("1.5", "1.5"),
        ("True", "True"),
    ],
)
def test_s4_writing(value: Any, text: str) -> None:
    assert format_value(value) == text
    assert parse_value(text) == value


def test_s4_s5_problems() -> None:
    for bad in (["a,b"], ["a]"], [""], [" a"], ["a "]):
        with pytest.raises(ValueError):
            format_value(bad)
    for text, kind in (
        ('"a', "text"),
        ('"a\\n"', "text"),
        ('"a"b', "text"),
        ('"', "text"),
        ("[a", "list"),
        ("[a,,b]", "list"),
        ("[,]", "list"),
        ("[a] b", "list"),
    ):
        with pytest.raises(ValueProblem) as raised:
            parse_value(text)
        assert str(raised.value) == f"bad {kind}: {text}"
    assert issubclass(ValueProblem, ValueError)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "s.json")


def test_s6_s7_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    store = Store.open(path)
    assert store.ids() == []
    store.add({"b": 1, "a": ["x"]})
    assert not path.exists()
    store.save()
    text = path.read_text()
    document = json.loads(text)
    assert (document["next_id"], document["records"]) == (2, {"1": {"a": ["x"], "b": 1}})
    assert set(document) == {"next_id", "records", "undo"}
    assert text == json.dumps(document, indent=2, sort_keys=True, ensure_ascii="\\u" in text) + "\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["s.json"]
    again = Store.open(path)
    assert (again.ids(), again.get(1)) == ([1], {"a": ["x"], "b": 1})
    for bad in (
        "",
        "[]",
        "{}",
        "{",
        '{"next_id": "1", "records": {}, "undo": []}',
        '{"next_id": 1, "records": [], "undo": []}',
    ):
        path.write_text(bad)
        with pytest.raises(StoreProblem) as raised:
            Store.open(path)
        assert str(raised.value) == f"{path}: is not a shelf"


def test_s8_s9_s10_records(store: Store) -> None:
    assert [store.add({"n": n}) for n in range(3)] == [1, 2, 3]
    store.remove(3)
    assert store.add({}) == 4
    assert store.ids() == [1, 2, 4]
    store.get(1)["n"] = 9
    assert store.get(1) == {"n": 0}
    store.change(1, {"a": "x", "n": 5}, unset=["gone"])
    assert store.get(1) == {"n": 5, "a": "x"}
    store.change(1, {}, unset=["n", "a"])
    assert store.get(1) == {}
    for act in (store.get, store.remove, lambda number: store.change(number, {"a": 1})):
        with pytest.raises(KeyError):
            act(3)
    given = {"l": ["x"]}
    number = store.add(given)
    given["l"].append("y")
    store.get(number)["l"].append("z")
    assert store.get(number) == {"l": ["x"]}


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"A": 1}, "bad field: A"),
        ({"": 1}, "bad field: "),
        ({"id": 1}, "bad field: id"),
        ({"a" * 31: 1}, "bad field: " + "a" * 31),
        ({"1a": 1}, "bad field: 1a"),
        ({"a": 1.5}, "bad value: a"),
        ({"a": None}, "bad value: a"),
        ({"a": [1]}, "bad value: a"),
        ({"a": {"b": 1}}, "bad value: a"),
        ({"a-b": 1}, "bad field: a-b"),
        ({"é": 1}, "bad field: é"),
    ],
)
def test_s11_what_is_refused(store: Store, record: dict[str, Any], text: str) -> None:
    store.add({"ok": 1})
    for act in (lambda: store.add(record), lambda: store.change(1, record)):
        with pytest.raises(StoreProblem) as raised:
            act()
        assert str(raised.value) == text
    assert (store.ids(), store.get(1)) == ([1], {"ok": 1})
    assert store.undo() == "add 1"
    assert store.undo() is None


def test_s12_s13_s14_undo(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    store = Store.open(path)
    store.add({"a": 1})
    store.change(1, {"a": 2, "b": True}, unset=["a2"])
    store.remove(1)
    store.save()
    store = Store.open(path)
    assert store.undo() == "remove 1"
    assert store.get(1) == {"a": 2, "b": True}
    assert store.undo() == "change 1"
    assert store.get(1) == {"a": 1}
    assert store.undo() == "add 1"
    assert (store.ids(), store.undo()) == ([], None)
    assert store.add({}) == 2
    for _ in range(25):
        store.add({})
    store.save()
    store = Store.open(path)
    told = [store.undo() for _ in range(21)]
    assert told == [*(f"add {n}" for n in range(27, 7, -1)), None]


def test_s15_together(store: Store) -> None:
    store.add({"n": 0})
    with store.together():
        store.add({"n": 1})
        with store.together():
            store.change(1, {"n": 5})
        store.remove(2)
    assert store.ids() == [1]
    assert store.undo() == "remove 2, change 1, add 2"
    assert (store.ids(), store.get(1)) == ([1], {"n": 0})
    with pytest.raises(RuntimeError), store.together():
        store.add({"n": 1})
        store.remove(1)
        raise RuntimeError
    assert (store.ids(), store.get(1)) == ([1], {"n": 0})
    assert store.undo() == "add 1"
    assert store.undo() is None
    with store.together():
        pass
    assert store.undo() is None


RECORD = {"name": "Ann Lee", "age": 41, "old": True, "tags": ["red", "Blue"], "code": "12"}


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("", True),
        ("  ", True),
        ("age = 41", True),
        ("age=41", True),
        ("age != 41", False),
        ("code = 12", False),
        ('code = "12"', True),
        ("old = true", True),
        ("old = 1", False),
        ("none != 1", True),
        ("none = 1", False),
        ("age > 40 and age < 42", True),
        ("age >= 41 AND NOT age <= 40", True),
        ("name < B", True),
        ("age < x", False),
        ("name ~ lee", True),
        ("name ~ LEE", True),
        ("tags ~ blue", True),
        ("tags ~ blu", False),
        ("code ~ 2", True),
        ("age ~ 4", False),
        ("has age", True),
        ("has none", False),
        ("not has none", True),
        ("id = 7", True),
        ("id>6", True),
        ("age = 1 or age = 2 or old = true", True),
        ("age = 41 or age = 1 and old = false", True),
        ("(age = 41 or age = 1) and old = false", False),
        ("not (age = 41 and old = true)", False),
        ("not age = 1 and old = true", True),
        ("tags = [red, Blue]", True),
        ("tags = [red]", False),
        ("tags=[]", False),
        ('name = "Ann Lee"', True),
        ("not not has age", True),
        ("has id", True),
        ("old < false", False),
        ("age!=41", False),
        ("Has age", True),
        ("code != 12", True),
    ],
)
def test_s16_to_s22_queries(text: str, fits: bool) -> None:
    assert parse_query(text).fits(7, RECORD) is fits


@pytest.mark.parametrize(
    ("text", "position", "what"),
    [
        ("age", 4, "an operator"),
        ("age =", 6, "a value"),
        ("age = 1 and", 12, "a condition"),
        ("(age = 1", 9, ")"),
        ("age = 1 b", 9, "the end"),
        ("= 1", 1, "a condition"),
        ("age = )", 7, "a value"),
        (")", 1, "a condition"),
        ("age 1", 5, "an operator"),
        ("age = 1)", 8, "the end"),
        ("not", 4, "a condition"),
        ("()", 2, "a condition"),
    ],
)
def test_s23_what_is_no_query(text: str, position: int, what: str) -> None:
    with pytest.raises(QueryProblem) as raised:
        parse_query(text)
    assert str(raised.value) == f"position {position}: expected {what}"
    assert isinstance(raised.value, ValueError)


def test_s24_finding(store: Store) -> None:
    for value in (3, "b", True, ["x"], None, 1, "a", False, 3):
        store.add({} if value is None else {"v": value})
    assert find(store, "") == list(range(1, 10))
    assert find(store, "", sort="v") == [6, 1, 9, 7, 2, 8, 3, 4, 5]
    assert find(store, "", sort="-v") == [4, 3, 8, 2, 7, 1, 9, 6, 5]
    assert find(store, "has v", sort="v", limit=2) == [6, 1]
    assert find(store, "v = 3") == [1, 9]
    assert find(store, "", limit=0) == []


class Shelf:
    def __init__(self, place: Path) -> None:
        self.path = place / "shelf.json"

    def __call__(self, *words: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "shelf_db", "--file", str(self.path), *words]
        done = subprocess.run(command, capture_output=True, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def fails(self, *words: str) -> str:
        before = self.path.read_bytes() if self.path.exists() else None
        code, out, err = self(*words)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert (self.path.read_bytes() if self.path.exists() else None) == before
        return err.rstrip("\n")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def test_s25_s26_s28_add_set_show(shelf: Shelf) -> None:
    assert shelf("add", "title=The Hobbit", "year=1937", "tags=[a, b]", "x=a=b") == (0, "1\n", "")
    assert shelf("show", "1")[1] == "tags: [a, b]\ntitle: The Hobbit\nx: a=b\nyear: 1937\n"
    assert shelf("set", "1", "year=", "read=true", 'title="12"') == (0, "", "")
    assert shelf("show", "1")[1] == 'read: true\ntags: [a, b]\ntitle: "12"\nx: a=b\n'
    assert shelf("set", "1", "read=", "tags=", "title=", "x=", "none=") == (0, "", "")
    assert shelf("show", "1") == (0, "", "")


def test_s27_s30_rm_undo(shelf: Shelf) -> None:
    for n in range(3):
        shelf("add", f"n={n}")
    assert shelf.fails("rm", "1", "9", "2") == "error: no record 9"
    assert shelf("rm", "1", "3") == (0, "", "")
    assert shelf("find")[1] == "2  n=1\n"
    assert shelf("undo") == (0, "undone: remove 3, remove 1\n", "")
    assert shelf("find", "--count")[1] == "3\n"
    for _ in range(3):
        assert shelf("undo")[0] == 0
    code, out, err = shelf("undo")
    assert code == 1
    assert "nothing to undo" in out + err


def test_s29_find(shelf: Shelf) -> None:
    shelf("add", "name=b", "n=2")
    shelf("add", "name=a")
    shelf("add", "n=1", "tags=[x, y]")
    assert shelf("find")[1] == "1  n=2  name=b\n2  name=a\n3  n=1  tags=[x, y]\n"
    assert shelf("find", "has n", "--sort", "n")[1] == "3  n=1  tags=[x, y]\n1  n=2  name=b\n"
    assert shelf("find", "--fields", "tags,n")[1] == "1  n=2\n2\n3  tags=[x, y]  n=1\n"
    assert shelf("find", "--limit", "1")[1] == "1  n=2  name=b\n"
    assert shelf("find", "has n", "--count")[1] == "2\n"
    assert shelf("find", "n = 7")[1] == ""


def test_s31_s32_export_import(shelf: Shelf, tmp_path: Path) -> None:
    shelf("add", "name=é", "a=true")
    shelf("add", "l=[x]")
    text = '{"id": 1, "a": true, "name": "é"}\n{"id": 2, "l": ["x"]}\n'
    assert shelf("export")[1] == text
    other = tmp_path / "o.jsonl"
    other.write_text(text + "\n" + '{"id": 9}\n', encoding="utf-8")
    assert shelf("import", str(other)) == (0, "3\n", "")
    assert shelf("find", "--count")[1] == "5\n"
    assert shelf("undo")[1] == "undone: add 5, add 4, add 3\n"
    for line, reason in (
        ("[]", "is no record"),
        ("{", "is no record"),
        ('{"A": 1}', "bad field: A"),
        ('{"a": null}', "bad value: a"),
    ):
        other.write_text('{"n": 1}\n\n' + line + "\n")
        assert shelf.fails("import", str(other)) == f"error: {other}:3: {reason}"
    assert shelf("find", "--count")[1] == "2\n"


def test_s33_stats(shelf: Shelf) -> None:
    for value in ("[x, y]", "[x]", "12", '"12"', "true"):
        shelf("add", f"v={value}")
    for _ in range(9):
        shelf("add", "v=z")
    shelf("add", "w=1")
    assert shelf("stats", "v")[1] == (
        "9  z\n2  x\n" + "".join(f"1  {written}\n" for written in sorted(['"12"', "12", "true", "y"]))
    )
    shelf("add", "v=z")
    assert shelf("stats", "v")[1].startswith("10  z\n 2  x\n")
    assert shelf("stats", "none") == (0, "", "")


def test_s34_s35_errors(shelf: Shelf) -> None:
    assert shelf("find") == (0, "", "")
    assert not shelf.path.exists()
    shelf("add", "n=1")
    assert shelf.fails("show", "2") == "error: no record 2"
    assert shelf.fails("show", "x") == "error: bad id: x"
    assert shelf.fails("set", "9", "a=1") == "error: no record 9"
    assert shelf.fails("add", "n") == "error: bad assignment: n"
    assert shelf.fails("add", "N=1") == "error: bad field: N"
    assert shelf.fails("add", 'n="a') == 'error: bad text: "a'
    assert shelf.fails("find", "n =") == "error: position 4: expected a value"
    assert shelf("nonsense")[0] == 2
    before = shelf.path.stat().st_mtime_ns
    for words in (("find",), ("show", "1"), ("export",), ("stats", "n")):
        assert shelf(*words)[0] == 0
    assert shelf.path.stat().st_mtime_ns == before
    shelf.path.write_text("nonsense")
    assert shelf.fails("find") == f"error: {shelf.path}: is not a shelf"
