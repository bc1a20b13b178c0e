"""Symbols across work orders: E301 to E305, with and without a repository."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from factory.plans.states.dependencies import depends_on
from factory.plans.states.sources import Sources
from planner.check.document import Checked, check_document
from planner.check.on_disk import check_plan
from planner.repository.sources import present_sources
from tests.support.plans import Json, makes, manifest
from tests.support.repositories import git, make_repo

COUNT = "tally.counting:count(text: str) -> dict[str, int]"


def check(*orders: Json, repo: Mapping[str, str] | None = None) -> Checked:
    files = {path: text.encode() for path, text in (repo or {}).items()}
    return check_document(manifest(*orders), frozenset(files), sources=Sources(frozenset(files), files.get))


def findings(*orders: Json, repo: Mapping[str, str] | None = None) -> list[tuple[str, str]]:
    return [(diagnostic.code, diagnostic.pointer) for diagnostic in check(*orders, repo=repo).diagnostics]


def step(number: int, path: str = "", **fields: object) -> Json:
    commands = ["python -m pytest -q tests"]
    return makes(number, path or f"step_{number}.py", acceptance_commands=commands, **fields)


def provider(*symbols: str, number: int = 1) -> Json:
    return step(number, "tally/counting.py", provides=list(symbols))


def consumer(*symbols: str, number: int = 2) -> Json:
    return step(number, consumes=list(symbols))


class TestUnprovided:
    def test_an_earlier_work_order_provides(self) -> None:
        assert findings(provider(COUNT), consumer(COUNT)) == []

    def test_no_one_provides(self) -> None:
        assert findings(provider(), consumer(COUNT)) == [("E301", "/work_orders/1/consumes/0")]

    @pytest.mark.parametrize(
        ("orders", "hint"),
        [
            ([consumer(COUNT, number=1), provider(COUNT, number=2)], "WO-02 provides it, which comes later"),
            ([step(1, "tally/counting.py", provides=[COUNT], consumes=[COUNT])], "provides it itself"),
            (
                [provider(COUNT), consumer("tally:count(text: str) -> dict[str, int]")],
                "WO-01 provides `tally.counting:count`",
            ),
            (
                [provider("tally.counting:Board"), consumer("tally.counting:Board.play(self) -> None")],
                "WO-01 provides `tally.counting:Board` without it",
            ),
            ([provider(), consumer(COUNT)], "let an earlier work order provide it"),
        ],
    )
    def test_the_hint_says_what_comes_near(self, orders: list[Json], hint: str) -> None:
        (diagnostic,) = check(*orders).diagnostics
        assert diagnostic.code == "E301"
        assert hint in diagnostic.hint

    def test_a_class_is_there_when_a_member_is(self) -> None:
        member = "tally.counting:Board.play(self) -> None"
        assert findings(provider(member), consumer("tally.counting:Board")) == []

    def test_the_repository_provides(self) -> None:
        repo = {"tally/counting.py": "def count(text: str) -> dict[str, int]: ...\n"}
        assert findings(consumer(COUNT, number=1), repo=repo) == []
        assert findings(consumer(COUNT, number=1), repo={"tally/counting.py": "x = 1\n"}) == [
            ("E301", "/work_orders/0/consumes/0")
        ]

    @pytest.mark.parametrize("root", ["", "src/", "packages/tally/src/"])
    def test_the_repository_may_keep_its_packages_anywhere(self, root: str) -> None:
        repo = {
            f"{root}tally/__init__.py": "from .counting import count\n",
            f"{root}tally/counting.py": "def count(text: str) -> int: ...\n",
        }
        assert findings(consumer("tally:count(text: str) -> int", number=1), repo=repo) == []

    def test_projects_beside_each_other_may_have_modules_of_one_name(self) -> None:
        repo = {f"services/{name}/app/main.py": f"def {name}() -> int: ...\n" for name in ("cart", "shop")}
        both = consumer("app.main:cart() -> int", "app.main:shop() -> int", number=1)
        assert findings(both, repo=repo) == []
        other = consumer("app.main:shop() -> str", "app.main:bill() -> int", number=1)
        assert findings(other, repo=repo) == [
            ("E302", "/work_orders/0/consumes/0"),
            ("E301", "/work_orders/0/consumes/1"),
        ]

    def test_a_source_that_cannot_be_read_is_no_reproach(self) -> None:
        assert findings(consumer(COUNT, number=1), repo={"tally/counting.py": "def count(:\n"}) == []
        document = manifest(consumer(COUNT, number=1))
        assert check_document(document, frozenset({"tally/counting.py"})).diagnostics == ()


class TestOtherSignature:
    def test_both_signatures_are_shown(self) -> None:
        (diagnostic,) = check(
            provider(COUNT), consumer("tally.counting:count(lines: list[str]) -> int")
        ).diagnostics
        assert (diagnostic.code, diagnostic.order) == ("E302", "WO-02")
        assert diagnostic.message == (
            "consumes `tally.counting:count(lines: list[str]) -> int`, "
            "but WO-01 provides `tally.counting:count(text: str) -> dict[str, int]`"
        )

    def test_the_repository_is_compared_too(self) -> None:
        repo = {"tally/counting.py": "def count(text: str) -> int: ...\n"}
        (diagnostic,) = check(consumer(COUNT, number=1), repo=repo).diagnostics
        assert diagnostic.code == "E302"
        assert "the repository has `tally.counting:count(text: str) -> int`" in diagnostic.message

    def test_another_spelling_of_a_type_is_the_same(self) -> None:
        spelled = "tally.counting:count(text: 'str') -> typing.Dict[str, int]"
        assert findings(provider(COUNT), consumer(spelled)) == []

    def test_the_last_provider_counts(self) -> None:
        changed = "tally.counting:count(text: str) -> int"
        orders = [
            provider(COUNT),
            step(2, "tally/counting.py", consumes=[COUNT], provides=[changed]),
            consumer(changed, number=3),
        ]
        assert findings(*orders) == []
        assert findings(*orders[:2], consumer(COUNT, number=3)) == [("E302", "/work_orders/2/consumes/0")]

    def test_a_work_order_goes_before_the_repository(self) -> None:
        repo = {"tally/counting.py": "def count(text: str) -> int: ...\n"}
        assert findings(provider(COUNT), consumer(COUNT), repo=repo) == []


RE_EXPORTING = {
    "tally/__init__.py": "from .counting import Board as Table, count\n",
    "tally/counting.py": "def count(text: str) -> int: ...\nclass Board:\n    size: int\n",
}


class TestImportedElsewhere:
    """A package's `__init__.py` imports what a work order changes in the module that defines it."""

    def changer(self) -> Json:
        old = "tally.counting:count(text: str) -> int"
        return step(1, "tally/counting.py", consumes=[old], provides=[COUNT])

    def test_what_is_changed_where_it_is_defined_is_changed(self) -> None:
        new = consumer("tally:count(text: str) -> dict[str, int]")
        assert findings(self.changer(), new, repo=RE_EXPORTING) == []
        (diagnostic,) = check(
            self.changer(), consumer("tally:count(text: str) -> int"), repo=RE_EXPORTING
        ).diagnostics
        assert diagnostic.code == "E302"
        assert diagnostic.message == (
            "consumes `tally:count(text: str) -> int`, "
            "but WO-01 provides `tally.counting:count(text: str) -> dict[str, int]`"
        )

    def test_a_new_member_comes_with_its_class_under_another_name(self) -> None:
        orders = [
            step(1, "tally/counting.py", provides=["tally.counting:Board.play(self) -> None"]),
            consumer("tally:Table.play(self) -> None", "tally:Table", "tally:Table.size: int"),
        ]
        assert findings(*orders, repo=RE_EXPORTING) == []
        assert findings(*orders) == [("E301", f"/work_orders/1/consumes/{number}") for number in range(3)]

    def test_a_new_name_comes_where_everything_is_imported(self) -> None:
        repo = {
            "tally/__init__.py": "from .all import *\n",
            "tally/all.py": "from .counting import *\n",
            "tally/counting.py": "def count(text: str) -> int: ...\n",
        }
        new = provider("tally.counting:most(text: str) -> str", "tally.counting:_order(text: str) -> int")

        assert findings(new, consumer("tally:most(text: str) -> str"), repo=repo) == []
        command = "python -c \"import tally; assert tally.most('a') == 'a'\""
        assert findings(new, makes(2, "b.py", acceptance_commands=[command]), repo=repo) == []
        # Nobody promises the other one, and a star passes over what is private.
        for wanted in ("least", "_order"):
            assert findings(new, consumer(f"tally:{wanted}(text: str) -> int"), repo=repo) == [
                ("E301", "/work_orders/1/consumes/0")
            ]

    def test_its_consumer_depends_on_who_changes_it(self) -> None:
        plan = check(
            self.changer(), consumer("tally:count(text: str) -> dict[str, int]"), repo=RE_EXPORTING
        ).plan
        assert plan is not None
        files = {path: text.encode() for path, text in RE_EXPORTING.items()}
        sources = Sources(frozenset(files), files.get)
        assert depends_on(plan, sources.files, sources) == ((), ("WO-01",))


class TestProvidedTwice:
    def test_the_second_is_told(self) -> None:
        other = "tally.counting:count() -> None"
        assert findings(provider(COUNT), provider(other, number=2)) == [("E303", "/work_orders/1/provides/0")]
        (diagnostic,) = check(provider(COUNT, other)).diagnostics
        assert (diagnostic.code, diagnostic.pointer) == ("E303", "/work_orders/0/provides/1")
        assert diagnostic.message == "WO-01 provides `tally.counting:count` twice"

    def test_the_same_name_elsewhere_is_another_symbol(self) -> None:
        assert findings(provider(COUNT), step(2, "other.py", provides=["other:count() -> int"])) == []


class TestUnreadable:
    @pytest.mark.parametrize("field", ["provides", "consumes"])
    def test_the_place_in_the_text_is_told(self, field: str) -> None:
        (diagnostic,) = check(step(1, "a.py", **{field: ["a:count(text"]})).diagnostics
        assert (diagnostic.code, diagnostic.pointer) == ("E304", f"/work_orders/0/{field}/0")
        assert diagnostic.message == (
            "the symbol `a:count(text` has parameters or a result that are not valid Python, at `(text`"
        )


class TestScope:
    @pytest.mark.parametrize(
        ("path", "symbol", "in_scope"),
        [
            ("tally/counting.py", "tally.counting:f()", True),
            ("src/tally/counting.py", "tally.counting:f()", True),
            ("src/tally/counting.py", "src.tally.counting:f()", True),
            ("tally/__init__.py", "tally:f()", True),
            ("tally/counting.py", "tally:f()", False),
            ("tally/counting.py", "tally.count:f()", False),
        ],
    )
    def test_the_module_must_be_writable(self, path: str, symbol: str, in_scope: bool) -> None:
        assert findings(step(1, path, provides=[symbol])) == (
            [] if in_scope else [("E305", "/work_orders/0/provides/0")]
        )

    def test_a_file_of_a_package_is_no_module_of_its_own(self) -> None:
        order = step(1, "tally/counting.py", provides=["counting:f()"])
        assert findings(order, repo={"tally/__init__.py": ""}) == [("E305", "/work_orders/0/provides/0")]


def test_a_thousand_work_orders_take_no_longer_than_their_number() -> None:
    orders = [
        step(
            number,
            f"m{number}.py",
            provides=[f"m{number}:f(x: int) -> int", f"m{number}:C.g(self) -> None"],
            consumes=[f"m{number - 1}:f(x: int) -> int", f"m{number - 1}:C"] if number > 1 else [],
        )
        for number in range(1, 1001)
    ]
    assert check(*orders).diagnostics == ()


def test_a_consumer_depends_on_its_provider() -> None:
    plan = check(
        provider(COUNT),
        step(2, "other.py", provides=["other:Board.play(self) -> None"]),
        step(3),
        step(4, consumes=[COUNT, "other:Board"]),
        step(5, consumes=["other:Board"]),
    ).plan
    assert plan is not None
    assert depends_on(plan, frozenset()) == ((), (), (), ("WO-01", "WO-02"), ("WO-02",))


# On disk


def test_the_sources_of_a_repository_are_read_and_not_imported(tmp_path: Path) -> None:
    source = "open('imported', 'w')\ndef count(text: str) -> dict[str, int]: ...\n"
    repo = make_repo(tmp_path / "repo", {"tally/counting.py": source})
    (repo / "untracked.py").write_text("def f() -> int: ...\n")
    (repo / "link.py").symlink_to("untracked.py")
    git(repo, "add", "link.py")
    plan = tmp_path / "plan.json"
    plan.write_text(
        json.dumps(manifest(consumer(COUNT, "untracked:f() -> int", "link:f() -> str", number=1)))
    )

    sources = present_sources(repo)
    diagnostics = check_plan(plan, sources.files, sources=sources).diagnostics

    assert [(diagnostic.code, diagnostic.pointer) for diagnostic in diagnostics] == [
        ("E301", "/work_orders/0/consumes/1")
    ]
    assert not list(tmp_path.rglob("imported"))


def test_the_command_reads_the_repository(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"tally/counting.py": "def count(text: str) -> int: ...\n"})
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(manifest(consumer(COUNT, number=1))))
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-m", "planner", "check", str(plan), "--repo", str(repo)],
        cwd=root,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 2
    assert "error[E302] WO-01 /work_orders/0/consumes/0: consumes `tally.counting:count(" in done.stdout
