"""Names of modules and tests in acceptance commands: E301, E302 and W306."""

import json

import pytest

from factory.plans.states.sources import Sources
from planner.check.document import check_document, check_reply
from tests.support.plans import Json, makes, manifest

FOUND = {"E301", "E302", "W306"}

LIBRARY = {
    "lib/__init__.py": "from lib.core import Store, load\n",
    "lib/core.py": (
        "from functools import cache\n"
        "from elsewhere import Base\n"
        "LIMIT = 3\n"
        "def load(path, *, strict=False): ...\n"
        "@cache\n"
        "def cached(text): ...\n"
        "class Store:\n"
        "    def get(self, key): ...\n"
        "class Child(Base):\n"
        "    def more(self): ...\n"
    ),
    "lib/open.py": "from elsewhere import *\n",
    "lib/dynamic.py": "def __getattr__(name): ...\n",
    "lib/fast.pyx": "",
    "tests/test_lib.py": (
        "import unittest\n"
        "def test_load(): ...\n"
        "class TestStore:\n"
        "    def test_get(self): ...\n"
        "class TestMore(unittest.TestCase):\n"
        "    def test_more(self): ...\n"
        "class TestFar(TestMore): ...\n"
    ),
    "tests/test_star.py": "from tests.cases import *\n",
}


def python(code: str) -> str:
    return f'python -c "{code}"'


def found(*orders: Json, files: dict[str, str] = LIBRARY, **fields: object) -> list[tuple[str, str]]:
    """The codes that these rules find, with the work order."""
    sources = Sources(frozenset(files), lambda path: files[path].encode())
    checked = check_document(manifest(*orders, **fields), frozenset(files), sources=sources)
    return [(it.code, it.order) for it in checked.diagnostics if it.code in FOUND]


def of_library(command: str) -> set[str]:
    """The codes of a command in a plan that leaves the library as it is."""
    return {code for code, _ in found(makes(1, "README.md", acceptance_commands=[command]))}


COUNTS = makes(
    1,
    "tally/counting.py",
    intent="Count words, and raise `TallyError`. Not `hidden`.",
    provides=[
        "tally.counting:count(text: str, *, fold: bool = True) -> dict[str, int]",
        "tally.counting:Board",
        "tally.counting:Board.__init__(self, size: int) -> None",
        "tally.counting:Board.play(self, row: int) -> None",
        "@classmethod tally.counting:Board.parse(cls, text: str) -> Board",
        "@staticmethod tally.counting:Board.check(text: str) -> bool",
        "tally.counting:Plain",
    ],
)


def later(command: str) -> list[tuple[str, str]]:
    return found(COUNTS, makes(2, "tally/cli.py", acceptance_commands=[command]), files={})


def own(command: str) -> list[tuple[str, str]]:
    return found({**COUNTS, "acceptance_commands": [command]}, files={})


class TestNames:
    @pytest.mark.parametrize(
        "code",
        [
            "from lib.core import nothing",
            "import lib.core; lib.core.nothing(1)",
            "import lib.core as c; assert c.nothing == 3",
            "from lib import core; core.nothing()",
            "import lib; lib.core.nothing()",
            "from lib.core import Store; s = Store(); assert s.put",
            "from lib.core import Store; Store.put",
            "from lib.core import Store; Store().put('a')",
            "import lib.nothing",
            "from lib.nothing import load",
            "from lib.core import nothing\nassert nothing",
        ],
    )
    def test_what_the_repository_does_not_define_is_an_error(self, code: str) -> None:
        assert of_library(python(code)) == {"E301"}

    @pytest.mark.parametrize(
        "code",
        [
            "from lib.core import LIMIT, Store, cached, load; Store().get('a'); Store.get",
            "import lib; lib.load('a'); lib.Store().get(1); lib.core.LIMIT",
            "from lib import core, Store; core.load",
            "from lib.open import anything",
            "from lib.dynamic import anything",
            "from lib.core import Child; Child().anything()",
            "import lib.fast",
            "import elsewhere.deep; elsewhere.deep.x",
            "import os.path; os.path.join; import json; json.nothing",
            "try:\n    from lib.core import gone\nexcept ImportError: pass",
            "import pytest, lib.core\nwith pytest.raises(AttributeError): lib.core.gone",
            "import contextlib, lib.core\nwith contextlib.suppress(AttributeError): lib.core.gone",
            "import lib.core; assert not hasattr(lib.core, 'gone') or lib.core.gone",
            "import lib.core; assert lib.core.LIMIT or lib.core.gone",
            "import lib.core\nif False: lib.core.gone",
            "import lib.core; f = lambda: lib.core.gone",
            "import lib.core as c; c = object(); c.anything",
            "import lib.core; assert lib.core.__doc__ is None and lib.core.__name__",
            "from lib.core import Store; s = Store(); s = 3; s.put",
            "from lib.core import load; r = load('a'); r.anything",
            "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import lib.gone'])",
        ],
    )
    def test_what_is_there_or_may_be_is_left_alone(self, code: str) -> None:
        assert of_library(python(code)) == set()

    def test_nobody_looked_into_the_repository(self) -> None:
        step = makes(1, "README.md", acceptance_commands=[python("from lib.core import nothing")])
        assert [it.code for it in check_document(manifest(step), frozenset(LIBRARY)).diagnostics] == []

    def test_what_no_work_order_was_told_of_is_an_error_where_it_can_not_be_written_any_more(self) -> None:
        command = python("from tally.counting import lines")
        assert later(command) == [("E301", "WO-02")]
        assert own(command) == [("W306", "WO-01")]

    @pytest.mark.parametrize(
        "code",
        [
            "from tally.counting import count, Board, TallyError, hidden",
            "import tally.counting; tally.counting.count('a')",
            "from tally import counting; counting.Board(3).play(1)",
            "from tally.counting import Plain; Plain().anything()",
            "from tally.cli import main",
        ],
    )
    def test_what_is_provided_or_told_or_open_is_left_alone(self, code: str) -> None:
        assert later(python(code)) == []

    def test_a_name_in_a_module_of_which_nothing_is_provided(self) -> None:
        command = python("from tally.cli import report")
        assert later(command) == [("W306", "WO-02")]
        told = makes(2, "tally/cli.py", intent="Write `report`.", acceptance_commands=[command])
        assert found(COUNTS, told, files={}) == []
        # Where no work order provides anything, nothing is known.
        assert (
            found({**COUNTS, "provides": []}, makes(2, "tally/cli.py", acceptance_commands=[command])) == []
        )

    def test_a_member_of_a_class_whose_members_are_provided_is_a_warning(self) -> None:
        command = python("from tally.counting import Board; b = Board(3); b.clear()")
        assert own(command) == [("W306", "WO-01")]
        assert later(command) == [("W306", "WO-02")]
        inherits = {
            **COUNTS,
            "intent": "Write `Board`, a subclass of UserDict.",
            "acceptance_commands": [command],
        }
        assert found(inherits, files={}) == []

    def test_a_module_that_a_later_work_order_makes_is_not_there(self) -> None:
        first = makes(1, "lib/first.py", acceptance_commands=["python -m lib.second"])
        assert found(first, makes(2, "lib/second.py")) == [("E301", "WO-01")]
        assert (
            found(makes(1, "lib/second.py"), makes(2, "b.py", acceptance_commands=["python -m lib.second"]))
            == []
        )

    def test_a_work_order_that_changes_a_module_of_the_repository_may_add_what_it_is_told(self) -> None:
        command = python("from lib.core import lines")
        changes = makes(1, "lib/core.py", intent="Add `lines`.", acceptance_commands=[command])
        assert found(changes) == []
        assert found({**changes, "intent": "Change it."}) == [("W306", "WO-01")]


class TestCalls:
    @pytest.mark.parametrize(
        "code",
        [
            "from tally.counting import count; count()",
            "from tally.counting import count; count('a', True)",
            "from tally.counting import count; count('a', case=1)",
            "from tally.counting import count; count('a', text='b')",
            "from tally.counting import Board; Board()",
            "from tally.counting import Board; b = Board(3); b.play()",
            "from tally.counting import Board; Board(3).play(1, 2)",
            "from tally.counting import Board; Board.parse()",
            "from tally.counting import Board; Board.check()",
            "import tally.counting as c; assert c.count('a', 1, 2) == {}",
        ],
    )
    def test_arguments_that_can_not_fit_are_an_error(self, code: str) -> None:
        assert later(python(code)) == [("E302", "WO-02")]
        assert own(python(code)) == [("E302", "WO-01")]

    @pytest.mark.parametrize(
        "code",
        [
            "from tally.counting import count; count('a'); count(text='a', fold=False); count(*['a'])",
            "from tally.counting import count; count(**{'text': 'a'})",
            "from tally.counting import Board; b = Board(size=3); b.play(row=1); Board.play(b, 1)",
            "from tally.counting import Board; Board.parse('a'); Board.check('a'); Board(3).check('a')",
            "from tally.counting import Plain; Plain(1, 2, 3)",
            "import pytest; from tally.counting import count; pytest.raises(TypeError, count)",
            "import pytest\nfrom tally.counting import count\nwith pytest.raises(TypeError): count()",
        ],
    )
    def test_arguments_that_fit_are_left_alone(self, code: str) -> None:
        assert later(python(code)) == []

    def test_functions_of_the_repository_are_judged_where_they_stay_as_they_are(self) -> None:
        command = python("from lib.core import load; load('a', 'b')")
        assert of_library(command) == {"E302"}
        assert of_library(python("from lib.core import load; load('a', strict=True)")) == set()
        assert of_library(python("from lib.core import cached; cached()")) == set()
        assert found(makes(1, "lib/core.py", acceptance_commands=[command])) == []


class TestNamedTests:
    @pytest.mark.parametrize(
        ("name", "is_there"),
        [
            ("test_load", True),
            ("test_load[a]", True),
            ("test_load_0", True),
            ("TestStore", True),
            ("TestStore::test_get", True),
            ("TestFar::test_more", True),
            ("test_save", False),
            ("TestStore::test_put", False),
            ("TestMore::test_less", False),
            ("TestNone::test_get", False),
        ],
    )
    def test_a_test_must_be_in_a_file_that_stays(self, name: str, is_there: bool) -> None:
        expected = set() if is_there else {"E301"}
        assert of_library(f"python -m pytest -q 'tests/test_lib.py::{name}'") == expected
        assert of_library(f"env X=1 timeout 9 pytest 'tests/test_lib.py::{name}'") == expected

    def test_a_file_that_imports_everything_may_have_it(self) -> None:
        assert of_library("pytest tests/test_star.py::test_any") == set()
        assert of_library("pytest --deselect tests/test_lib.py::test_any") == set()

    def test_a_file_that_the_work_order_writes_may_get_it(self) -> None:
        command = "pytest tests/test_lib.py::test_new"
        assert found(makes(1, "tests/test_lib.py", acceptance_commands=[command])) == []
        # Of a file of its own it is told nothing else.
        own = makes(1, "tests/test_new.py", acceptance_commands=["pytest tests/test_new.py::test_sums"])
        assert found(own) == [("W306", "WO-01")]
        assert found({**own, "intent": "Write the test of sums."}) == []

    def test_an_earlier_work_order_must_have_been_told_of_it(self) -> None:
        writes = makes(1, "tests/test_new.py", intent="Check `count` in `test_count`.")
        named = makes(2, "b.py", acceptance_commands=["pytest tests/test_new.py::test_count"])
        other = makes(2, "b.py", acceptance_commands=["pytest tests/test_new.py::test_other"])
        assert found(writes, named) == []
        assert found(writes, other) == [("W306", "WO-02")]


SLUGS = makes(
    1,
    "src/slug.js",
    intent="Write `slug`, `title` and the class `Slugger`.",
    provides=["src/slug.js:slug(text)", "src/slug.js:Slugger", "src/slug.js:Slugger.next(text)"],
)


@pytest.mark.parametrize(
    ("code", "codes"),
    [
        ("const {slug} = require('./src/slug'); slug('a')", []),
        ("import('./src/slug.js').then(m => m.title('a'))", []),
        ("const {slugs} = require('./src/slug.js'); slugs('a')", ["E301"]),
        ("import { slugs } from './src/slug.js'; slugs('a')", ["E301"]),
        ("require('./src/slug.js').slugs('a')", ["E301"]),
        ("import('./src/slug.js').then(m => m.slugs('a'))", ["E301"]),
        ("const m = require('./src/slug.js'); new m.Slugger().last('a')", ["W306"]),
        ("const m = require('./src/slug.js'); new m.Slugger().next('a')", []),
        ("try { require('./src/slug.js').slugs('a') } catch {}", []),
        ("require('assert').throws(() => require('./src/slug.js').slugs('a'))", []),
    ],
)
def test_names_in_code_of_node(code: str, codes: list[str]) -> None:
    late = makes(2, "src/cli.js", acceptance_commands=[f'node -e "{code}"'])
    assert [code for code, _ in found(SLUGS, late, files={})] == codes


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("node -e \"require('./src/slugs')\"", True),
        ("node -e \"require('./src/slug')\"", False),
        ("node --input-type=module -e \"import './src/slug.mjs'\"", True),
        ("node --test tests/slug.test.js", True),
        ("node --test --test-reporter tap tests", False),
        ("node --test 'tests/*.test.js'", False),
        ("node --check src/slug.js", False),
        ("node --check src/slugs.js", True),
        ("npx --no-install vitest run tests/slug.test.ts", True),
    ],
)
def test_files_that_node_needs(command: str, missing: bool) -> None:
    late = makes(2, "src/cli.js", acceptance_commands=[command])
    checked = check_document(manifest(SLUGS, late), frozenset())
    assert ("W101" in [it.code for it in checked.diagnostics]) is missing


@pytest.mark.parametrize(
    ("module", "codes"),
    [("./src/slugs/title.js", ["W101"]), ("./src/slug.js", []), ("./dist/a.js", [])],
)
def test_a_module_of_node_that_nobody_makes(module: str, codes: list[str]) -> None:
    commands = ["npx --no-install tsc", f"node -e \"import '{module}'\""]
    late = makes(2, "src/cli.js", acceptance_commands=commands)
    files = {"package.json": b'{"devDependencies": {"typescript": "^5"}}'}
    sources = Sources(frozenset(files), files.get)
    checked = check_document(manifest(SLUGS, late), sources.files, sources=sources)
    assert [it.code for it in checked.diagnostics if it.code in ("E301", "W101")] == codes


COUNTING = makes(
    1,
    "src/counting.js",
    "src/index.js",
    provides=[
        "src/counting.js:count(text: string): number",
        "src/counting.js:words(text: string): string[]",
        "src/counting.js:load(path: string): Promise<string>",
        "src/index.js:count",
    ],
)


@pytest.mark.parametrize(
    ("code", "codes"),
    [
        ("import { count } from './src/counting.js'; count('a').toFixed(1)", []),
        ("import { count } from './src/counting.js'; count('a').words", ["E301"]),
        ("import { count } from './src/index.js'; count('a').words", ["E301"]),
        ("import { words } from './src/counting.js'; words('a').map(String)", []),
        ("import { words } from './src/counting.js'; words('a').first", ["E301"]),
        ("import { words } from './src/counting.js'; words('a')[0].trim()", []),
        ("import { words } from './src/counting.js'; words('a')[0].title()", ["E301"]),
        ("import { load } from './src/counting.js'; (await load('a')).lines", ["E301"]),
    ],
)
def test_members_that_types_of_javascript_have(code: str, codes: list[str]) -> None:
    late = makes(2, "src/cli.js", acceptance_commands=[f'node --input-type=module -e "{code}"'])
    assert [code for code, _ in found(COUNTING, late, files={})] == codes


@pytest.mark.parametrize(
    ("code", "codes"),
    [
        ("from log.entries import read; read('a').append", set()),
        ("from log.entries import read; read('a').entries", {"E301"}),
        ("from log.entries import size; assert size('a').bit_length()", set()),
        ("from log.entries import size; assert size('a').total", {"E301"}),
        ("from log import size; assert size('a').total", {"E301"}),
        ("from log import Entry; assert Entry.level", set()),
        ("from log import Entry; assert Entry.kind", {"W306"}),
        ("from log import size; size('a', 2)", {"E302"}),
        ("from log.entries import either; either('a').upper()", set()),
        ("from log.entries import table; table('a').upper()", {"E301"}),
    ],
)
def test_members_that_types_of_python_have(code: str, codes: set[str]) -> None:
    provides = [*ENTRIES["provides"], "log.entries:size(text: str) -> int", "log:size", "log:Entry"]
    provides += [
        "log.entries:either(text: str) -> list[int] | str",
        "log.entries:table(text: str) -> dict[str, list[int]]",
    ]
    entries = {**ENTRIES, "provides": provides, "allowed_files": ["log/entries.py", "log/__init__.py"]}
    late = makes(2, "log/cli.py", acceptance_commands=[python(code)])
    assert {code for code, _ in found(entries, late, files={})} == codes


@pytest.mark.parametrize(
    ("code", "codes"),
    [
        ("from unittest.mock import patch\nwith patch('lib.core.load'): pass", set()),
        ("from unittest.mock import patch\nwith patch('lib.core.nothing'): pass", {"E301"}),
        ("from unittest import mock\nmock.patch('lib.core.nothing').start()", {"E301"}),
        ("from unittest.mock import patch\npatch('lib.core.nothing', create=True).start()", set()),
        ("from unittest.mock import patch\npatch('lib.core.time').start()", set()),
        ("from unittest.mock import patch\npatch('elsewhere.nothing').start()", set()),
    ],
)
def test_names_that_are_patched(code: str, codes: set[str]) -> None:
    assert of_library(python(code)) == codes


STORE = makes(
    1,
    "app/store.py",
    intent="`StoreError` is derived from `ValueError`. `Store` is a context manager over items.",
    provides=[
        "app.store:StoreError",
        "app.store:Store",
        "app.store:Store.__enter__(self) -> Store",
        "app.store:Store.add(self, name: str) -> int",
        "app.store:Store.first(self) -> Item",
        "app.store:Item",
        "app.store:Item.name: str",
    ],
)


@pytest.mark.parametrize(
    ("code", "codes"),
    [
        ("s = Store().__enter__(); s.add('a')", set()),
        ("s = Store().__enter__(); s.close()", {"W306"}),
        ("with Store() as s: s.close()", {"W306"}),
        ("with Store() as s: s.add('a')", set()),
        ("s = Store(); assert s.first().name == 'a'", set()),
        ("s = Store(); assert s.first().size == 1", {"W306"}),
        ("s = Store(); assert s.add('a').bit_length()", set()),
        ("s = Store(); assert s.add('a').number", {"E301"}),
    ],
)
def test_objects_that_methods_give(code: str, codes: set[str]) -> None:
    late = makes(2, "app/cli.py", acceptance_commands=[python(f"from app.store import *\n{code}")])
    named = makes(2, "app/cli.py", acceptance_commands=[python(f"from app.store import Store\n{code}")])
    assert {code for code, _ in found(STORE, named, files={})} == codes
    assert {code for code, _ in found(STORE, late, files={})} == set()


def test_the_base_of_a_class_may_have_more() -> None:
    based = {**STORE, "intent": "`Store` is a subclass of `Mapping`. `StoreError` is a `ValueError`."}
    command = python("from app.store import Store\nwith Store() as s: s.close()")
    assert found(based, makes(2, "app/cli.py", acceptance_commands=[command]), files={}) == []


@pytest.mark.parametrize(
    ("code", "codes"),
    [
        ("import lib.core; getattr(lib.core, 'load')", set()),
        ("import lib.core; getattr(lib.core, 'nothing')(1)", {"E301"}),
        ("import lib.core; getattr(lib.core, 'nothing', None)", set()),
    ],
)
def test_names_that_stand_in_texts(code: str, codes: set[str]) -> None:
    assert of_library(python(code)) == codes


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        ("pytest tests/test_store.py -k rollback", [("W306", "WO-01")]),
        ("pytest tests/test_store.py -k balance", []),
        ("pytest tests/test_store.py -k store", []),
        ("node --test --test-name-pattern=zzz test/a.test.js", [("W306", "WO-01")]),
        ("node --test --test-name-pattern=balance test/a.test.js", []),
    ],
)
def test_words_of_tests_that_are_to_be_written(command: str, codes: list[tuple[str, str]]) -> None:
    step = makes(
        1, "tests/test_store.py", "test/a.test.js", intent="Test the balance.", acceptance_commands=[command]
    )
    assert found(step, files={}) == codes


@pytest.mark.parametrize(
    ("call", "codes"),
    [
        ("new Router()", []),
        ("new Router({ a: 1 })", ["E302"]),
        ("new Router().get('/')", []),
        ("new Router().get('/', 1)", ["E302"]),
        ("new Router().all(1, 2, 3)", []),
    ],
)
def test_calls_in_javascript_that_give_too_much(call: str, codes: list[str]) -> None:
    router = makes(
        1,
        "src/router.js",
        provides=[
            "src/router.js:Router",
            "src/router.js:Router.constructor()",
            "src/router.js:Router.get(path: string): Router",
            "src/router.js:Router.all(...paths: string[]): Router",
        ],
    )
    command = f"node -e \"const {{ Router }} = require('./src/router.js'); {call}\""
    late = makes(2, "src/cli.js", acceptance_commands=[command])
    assert [code for code, _ in found(router, late, files={})] == codes


class TestNamesAlone:
    """What a module hands on, named without a signature: E304."""

    def alone(self, *orders: Json, files: dict[str, str] | None = None) -> list[str]:
        files = files or {}
        sources = Sources(frozenset(files), lambda path: files[path].encode())
        checked = check_document(manifest(*orders), frozenset(files), sources=sources)
        return [it.pointer for it in checked.diagnostics if it.code == "E304"]

    @pytest.mark.parametrize("symbol", ["tally:count", "src/index.js:count"])
    def test_nothing_says_what_it_is(self, symbol: str) -> None:
        order = makes(1, "tally/__init__.py", "src/index.js", provides=[symbol])
        assert self.alone(order) == ["/work_orders/0/provides/0"]

    def test_another_symbol_of_the_plan_says_it(self) -> None:
        first = makes(1, "tally/counting.py", provides=["tally.counting:count(text: str) -> int"])
        assert self.alone(first, makes(2, "tally/__init__.py", provides=["tally:count"])) == []
        # What comes later says nothing yet.
        late = makes(2, "tally/counting.py", provides=["tally.counting:count(text: str) -> int"])
        assert len(self.alone(makes(1, "tally/__init__.py", provides=["tally:count"]), late)) == 1

    def test_what_the_work_order_consumes_says_it(self) -> None:
        order = makes(
            1,
            "tally/__init__.py",
            provides=["tally:count"],
            consumes=["tally.counting:count(text: str) -> int"],
        )
        assert self.alone(order) == []

    def test_a_source_of_the_package_says_it(self) -> None:
        order = makes(1, "tally/__init__.py", provides=["tally:count"])
        assert self.alone(order, files={"tally/counting.py": "def count(text): ...\n"}) == []
        assert len(self.alone(order, files={"tally/counting.py": "def counts(text): ...\n"})) == 1
        assert len(self.alone(order, files={"other/counting.py": "def count(text): ...\n"})) == 1

    def test_a_member_alone_is_none(self) -> None:
        assert len(self.alone(makes(1, "a.py", provides=["a:Board", "a:Board.play"]))) == 1


ENTRIES = makes(
    1,
    "log/entries.py",
    intent="Write `Entry`, a dataclass of `level`, `source` and `message`, and `LineError` with its `number`."
    " `read(text)` reads the entries of a text.",
    provides=[
        "log.entries:LineError",
        "log.entries:LineError.number: int",
        "log.entries:Entry",
        "log.entries:Entry.level: str",
        "log.entries:Entry.source: str",
        "log.entries:Entry.message: str",
        "log.entries:read(text: str) -> list[Entry]",
        "log.entries:first(text: str) -> Entry | None",
        "log.entries:pair(text: str) -> tuple[Entry, Path]",
    ],
)


@pytest.mark.parametrize(
    ("code", "codes"),
    [
        ("from log.entries import read; assert [e.level for e in read('a')] == ['b']", set()),
        ("from log.entries import read; assert [e.text for e in read('a')] == ['b']", {"W306"}),
        ("from log.entries import read; e = read('a'); assert sorted(e)[0].kind == 'b'", {"W306"}),
        ("from log.entries import read; assert [x.kind for x in sorted(read('a'))]", {"W306"}),
        ("from log.entries import first; assert first('a').kind == 'b'", {"W306"}),
        ("from log.entries import first; assert first('a').source == 'b'", set()),
        ("from log.entries import pair; assert pair('a')[1].kind == 'b'", set()),
        ("import pytest; from log.entries import *; assert read('a')[0].kind", set()),
        (
            (
                "import pytest; from log.entries import LineError, read\n"
                "with pytest.raises(LineError) as caught: read('a')\nassert caught.value.line == 1"
            ),
            {"W306"},
        ),
        (
            (
                "import pytest; from log.entries import LineError, read;"
                " assert pytest.raises(LineError, read, 'a').value.number == 1"
            ),
            set(),
        ),
        (
            (
                "import pytest; from log.entries import LineError, read;"
                " assert pytest.raises(LineError, read, 'a').value.args"
            ),
            set(),
        ),
    ],
)
def test_attributes_of_what_a_function_gives(code: str, codes: set[str]) -> None:
    assert {code for code, _ in found({**ENTRIES, "acceptance_commands": [python(code)]}, files={})} == codes


def test_what_a_package_hands_on_is_looked_up_where_it_is_defined() -> None:
    files = {**LIBRARY, "lib/__init__.py": "from lib.core import Store, load\n"}
    change = makes(1, "lib/__init__.py", "lib/sums.py", provides=["lib.sums:sums(items: list[int]) -> int"])
    lacking = python("from lib import Store; Store().put(1)")
    assert found({**change, "acceptance_commands": [lacking]}, files=files) == [("E301", "WO-01")]
    fitting = python("from lib import Store, sums; Store().get(1); sums([1])")
    assert found({**change, "acceptance_commands": [fitting]}, files=files) == []
    misfit = python("from lib import sums; sums([1], [2])")
    assert found({**change, "acceptance_commands": [misfit]}, files=files) == [("E302", "WO-01")]


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        ("python -m pytest -q tests/test_lib.py -k sums", {"E301"}),
        ("python -m pytest -q tests/test_lib.py -k 'load and sums'", {"E301"}),
        ("python -m pytest -q tests/test_lib.py -k load", set()),
        ("python -m pytest -q tests/test_lib.py -k 'not sums'", set()),
        ("python -m pytest -q tests/test_lib.py -k 'load or sums'", set()),
        ("python -m pytest -q tests -k sums", set()),
    ],
)
def test_words_by_which_tests_are_chosen(command: str, codes: set[str]) -> None:
    assert of_library(command) == codes


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("python -m unittest tests.test_sums", True),
        ("python -m unittest -v tests.test_sums.TestSums.test_a", True),
        ("python -m unittest tests.test_lib.TestStore", False),
        ("python -m unittest discover -s tests", False),
    ],
)
def test_modules_of_tests_that_unittest_is_given(command: str, missing: bool) -> None:
    step = makes(1, "README.md", acceptance_commands=[command])
    checked = check_document(manifest(step), frozenset(LIBRARY))
    assert ("W101" in [it.code for it in checked.diagnostics]) is missing


def test_a_default_export_is_looked_for_in_modules_of_ecmascript_alone() -> None:
    command = "node --input-type=module -e \"import slug from './src/slug.js'; slug('a')\""
    late = makes(2, "src/cli.js", acceptance_commands=[command])
    assert found(SLUGS, late, files={}) == []
    modern = {**SLUGS, "intent": "Write `slug`, as an ES module."}
    assert found(modern, late, files={}) == [("E301", "WO-02")]


@pytest.mark.parametrize(
    ("consumed", "codes"),
    [
        ("a:f", []),
        ("a:nothing", ["E301"]),
        ("c:g", ["E301"]),
        # The repository has it, and as it has it it is to be written.
        ("lib.core:load", ["E304"]),
    ],
)
def test_what_a_model_consumes_by_its_address_alone(consumed: str, codes: list[str]) -> None:
    orders = [
        makes(1, "a.py", provides=["a:f(x: int) -> int"]),
        makes(2, "b.py", consumes=[consumed]),
        makes(3, "c.py", provides=["c:g() -> int"]),
    ]
    files = {path: text.encode() for path, text in LIBRARY.items()}
    sources = Sources(frozenset(files), files.get)
    found = check_reply(json.dumps(manifest(*orders)), sources.files, sources=sources).diagnostics
    assert [it.code for it in found if it.order == "WO-02" and it.code.startswith("E3")] == codes
