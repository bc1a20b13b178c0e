"""Every diagnostic code: its page, its example, its hint, and what it does and doesn't find."""

import json
import re

import pytest

from factory.contract.work_order import Plan
from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Rule
from factory.plans.states.dependencies import depends_on
from factory.plans.states.sources import Sources
from planner.check.document import Checked, check_document, objected
from planner.check.explain import UnknownCode, explain, explain_all
from planner.plan.objections import read_objections
from planner.revision.amendment import Amendment
from planner.revision.impact import impact
from planner.rules.subject import Subject
from planner.rules.table import RULES
from planner.specification.spec import Spec
from tests.support.plans import Json, absent, exists, makes, manifest, order, verified_by

SECTIONS = ["## What it finds", "## Why it matters", "## Example", "## Fix"]
ALSO_REPORTED = {"E102": {"E101"}, "E206": {"W205"}}
"""Codes that an example can't avoid: of two conditions that contradict each other one is false."""


def amendment_of(page: str, spec: Spec | None) -> Amendment | None:
    """What the example of a page amends: the plan before, and what of it has landed."""
    before = re.search(r"```json before\n(.*?)```", page, re.DOTALL)
    if before is None:
        return None
    plan = Plan.model_validate_json(before[1])
    return Amendment(
        plan,
        frozenset(re.findall(r"of which (WO-[0-9]+) has landed", page)),
        None if spec is None else impact(plan, depends_on(plan, frozenset()), spec),
        within_impact=spec is not None,
        must_change=re.search(r"whose WO-[0-9]+ failed", page) is not None,
    )


def check(*orders: Json, repo: tuple[str, ...] = (), **fields: object) -> Checked:
    return check_document(manifest(*orders, **fields), frozenset(repo))


def codes(*orders: Json, repo: tuple[str, ...] = (), **fields: object) -> list[str]:
    return [diagnostic.code for diagnostic in check(*orders, repo=repo, **fields).diagnostics]


def command_codes(command: str, *repo: str) -> set[str]:
    """The codes found for one acceptance command in a repository that holds `repo`."""
    return set(codes(order(acceptance_commands=[command]), repo=repo))


class TestRegistry:
    def test_the_codes_are_unique_and_sorted(self) -> None:
        listed = [rule.code for rule in RULES]
        assert listed == sorted(set(listed))
        assert len({rule.name for rule in RULES}) == len(RULES)

    @pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
    def test_a_code_says_how_severe_it_is(self, rule: Rule[Subject]) -> None:
        assert re.fullmatch(r"[EW][0-9]{3}", rule.code)
        assert (rule.severity is Severity.ERROR) == rule.code.startswith("E")
        assert rule.find.__module__.rpartition(".")[2].startswith(rule.code.lower())

    @pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
    def test_a_page_has_all_its_sections_in_order(self, rule: Rule[Subject]) -> None:
        assert re.findall(r"^## .*$", rule.explanation, re.MULTILINE) == SECTIONS

    @pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
    def test_the_example_of_a_page_shows_what_it_says(self, rule: Rule[Subject]) -> None:
        example = re.search(r"```json\n(.*?)```", rule.explanation, re.DOTALL)
        assert example is not None
        text = re.search(r"```markdown\n(.*?)```", rule.explanation, re.DOTALL)
        spec = Spec.of_text(text[1]) if text else None
        configuration = re.search(r"`workorder.toml`.*?```toml\n(.*?)```", rule.explanation, re.DOTALL)
        files = {} if configuration is None else {"workorder.toml": configuration[1].encode()}
        diagnostics = check_document(
            json.loads(example[1]),
            frozenset(files),
            spec,
            sources=Sources(frozenset(files), files.get),
            is_new="A model's new plan:" in rule.explanation,
            amendment=amendment_of(rule.explanation, spec),
        ).diagnostics
        opinion = re.search(r"```json opinion\n(.*?)```", rule.explanation, re.DOTALL)
        if opinion is not None:
            diagnostics += objected(json.loads(example[1]), spec, read_objections(opinion[1]))
        assert {diagnostic.code for diagnostic in diagnostics} == {rule.code} | ALSO_REPORTED.get(
            rule.code, set()
        )
        assert all(diagnostic.hint and diagnostic.message for diagnostic in diagnostics)


class TestExplain:
    def test_a_page_is_found_by_code_and_by_name(self) -> None:
        assert explain("e101") == explain("unmet-precondition")
        assert explain("E101").startswith("# E101 unmet-precondition (error)\n\nUnmet precondition.\n")

    def test_all_pages_stand_in_one_text(self) -> None:
        text = explain_all()
        assert [line.split()[1] for line in text.splitlines() if re.match(r"# [EW]\d", line)] == [
            rule.code for rule in RULES
        ]

    @pytest.mark.parametrize(
        ("asked", "meant"), [("E1O1", "E101"), ("unmet-condition", "unmet-precondition")]
    )
    def test_an_unknown_code_is_refused_with_a_suggestion(self, asked: str, meant: str) -> None:
        with pytest.raises(UnknownCode, match=f"did you mean {meant}"):
            explain(asked)

    def test_a_code_like_no_other_leads_to_the_list(self) -> None:
        with pytest.raises(UnknownCode, match="explain --all"):
            explain("zzzzzzz")


class TestOutline:
    @pytest.mark.parametrize("document", [None, [], [{}], "text", 7, True])
    def test_what_is_not_an_object_is_one_finding(self, document: object) -> None:
        checked = check_document(document, frozenset())  # type: ignore[arg-type]
        assert [diagnostic.code for diagnostic in checked.diagnostics] == ["E000"]

    @pytest.mark.parametrize(
        ("document", "pointer"),
        [
            ({}, "/work_orders"),
            ({"work_orders": None}, "/work_orders"),
            ({"work_orders": {}}, "/work_orders"),
            ({"work_orders": []}, "/work_orders"),
            ({"work_orders": [order(), None]}, "/work_orders/1"),
            ({"work_orders": [order()], "system_overview": "text"}, "/system_overview"),
            ({"work_orders": [order()], "system_overview": [3]}, "/system_overview/0"),
            ({"work_orders": [order()], "a/b~": 1}, "/a~1b~0"),
        ],
    )
    def test_each_flaw_of_the_outline_is_told_with_its_place(self, document: Json, pointer: str) -> None:
        diagnostics = check_document(document, frozenset()).diagnostics
        assert [(diagnostic.code, diagnostic.pointer) for diagnostic in diagnostics] == [("E000", pointer)]

    def test_a_single_work_order_is_recognised(self) -> None:
        (diagnostic,) = [
            diagnostic
            for diagnostic in check_document(order(), frozenset()).diagnostics
            if diagnostic.pointer == "/work_orders"
        ]
        assert "single work order" in diagnostic.hint

    def test_an_enormous_document_is_refused_at_a_glance(self) -> None:
        checked = check_document({"work_orders": [1] * 300_000}, frozenset())
        assert [diagnostic.message for diagnostic in checked.diagnostics] == [
            "the manifest holds more than 250,000 values"
        ]


class TestNumbering:
    def test_one_gap_is_one_finding(self) -> None:
        diagnostics = check(order(1), order(3), order(4)).diagnostics
        assert [(diagnostic.code, diagnostic.pointer) for diagnostic in diagnostics] == [
            ("E001", "/work_orders/1/id")
        ]

    def test_a_repeated_id_is_found(self) -> None:
        assert codes(order(1), order(1)) == ["E001"]

    @pytest.mark.parametrize("written", ["WO-1", "wo-01", "WO-001", "WO-00", "1", "", "WO-" + "9" * 5000])
    def test_another_form_is_found(self, written: str) -> None:
        assert codes(order(id=written)) == ["E001"]

    def test_a_work_order_with_a_bad_id_is_examined_all_the_same(self) -> None:
        assert codes(order(id="one", acceptance_commands=["ls && ls"])) == ["E003", "E001"]

    def test_a_hundred_work_orders_have_ids_of_three_digits(self) -> None:
        assert codes(*[order(number) for number in range(1, 102)]) == []


class TestSchema:
    @pytest.mark.parametrize(
        ("fields", "pointer"),
        [
            ({"title": 3}, "/title"),
            ({"title": " "}, "/title"),
            ({"extra": 1}, "/extra"),
            ({"acceptance_commands": []}, "/acceptance_commands"),
            ({"acceptance_commands": [7]}, "/acceptance_commands/0"),
            ({"acceptance_commands": ["x" * 20_001]}, "/acceptance_commands/0"),
            ({"allowed_files": []}, "/allowed_files"),
            ({"allowed_files": [None]}, "/allowed_files/0"),
            ({"allowed_files": ["../a.py"]}, "/allowed_files/0"),
            ({"allowed_files": [".GIT/hooks/x"]}, "/allowed_files/0"),
            ({"preconditions": [[]]}, "/preconditions/0"),
            ({"postconditions": [absent("a.py")]}, "/postconditions/0/kind"),
            ({"id": 1}, "/id"),
        ],
    )
    def test_a_field_that_breaks_the_schema_is_told_once_with_its_place(
        self, fields: Json, pointer: str
    ) -> None:
        diagnostics = check(order(**fields)).diagnostics
        assert [(diagnostic.code, diagnostic.pointer) for diagnostic in diagnostics] == [
            ("E005", f"/work_orders/0{pointer}")
        ]

    @pytest.mark.parametrize("contract", [7, "bash x", [], {"command": []}, {"requires": [None]}])
    def test_a_verify_contract_of_the_wrong_type_is_told(self, contract: object) -> None:
        diagnostics = check(order(), verify_contract=contract).diagnostics
        assert {diagnostic.code for diagnostic in diagnostics} == {"E005"}
        assert all(diagnostic.pointer.startswith("/verify_contract") for diagnostic in diagnostics)

    def test_all_work_orders_are_judged_though_one_is_broken(self) -> None:
        assert codes(
            order(title=1), order(2, allowed_files=["*.py"]), order(3, acceptance_commands=[""])
        ) == [
            "E005",
            "E004",
            "E007",
        ]

    def test_computed_fields_on_disk_are_part_of_the_schema(self) -> None:
        provenance = {"compile_hash": "0" * 16, "plan_hash": "0" * 64}
        assert codes(order(verify_exempt=True, depends_on=[], provenance=provenance)) == []


class TestOtherLanguages:
    @pytest.mark.parametrize(
        ("symbol", "path"),
        [
            ("slugline:slug(text: str) -> str", "slugline.rb"),
            ("web.slugline:slug(text: str) -> str", "src/web/slugline.php"),
            ("slugline.rb:slug(text: str) -> str", "slugline.rb"),
        ],
    )
    def test_the_hint_asks_for_no_python_module_beside_a_file_that_is_none(
        self, symbol: str, path: str
    ) -> None:
        found = check(makes(1, path, provides=[symbol])).diagnostics
        (hint,) = [diagnostic.hint for diagnostic in found if diagnostic.code == "E305"]
        assert hint.startswith(f"`{path}` is no Python file, and `provides` names Python symbols only")

    @pytest.mark.parametrize("path", ["web.js", "src/main.ts", "cmd/slug.go", "src/lib.rs"])
    def test_who_writes_in_another_language_is_told_to_add_no_file_of_python(self, path: str) -> None:
        found = check(makes(1, path, "README.md", provides=["slugline:go(x)"])).diagnostics
        (hint,) = [diagnostic.hint for diagnostic in found if diagnostic.code == "E305"]
        assert hint == (
            "nothing here is written in Python: write the symbol with the file that offers it, such as"
            f" `{path}:go…`, or take it out"
        )
        found = check(makes(1, path, "app.py", provides=["slugline:go(x)"])).diagnostics
        (hint,) = [diagnostic.hint for diagnostic in found if diagnostic.code == "E305"]
        assert hint.startswith("add `slugline.py` to allowed_files")

    @pytest.mark.parametrize(
        ("symbol", "path"),
        [
            ("slugline:slug(text: str) -> str", "slugline.js"),
            ("web.slugline:slug(text: str) -> str", "src/web/slugline.ts"),
        ],
    )
    def test_beside_a_file_of_a_language_that_is_known_the_hint_names_the_file(
        self, symbol: str, path: str
    ) -> None:
        found = check(makes(1, path, provides=[symbol])).diagnostics
        (hint,) = [diagnostic.hint for diagnostic in found if diagnostic.code == "E305"]
        assert hint.startswith(f"write the symbol with its file, `{path}:slug")

    def test_a_symbol_of_a_file_that_is_allowed_is_in_scope(self) -> None:
        found = check(
            makes(1, "slugline.js", provides=["slugline.js:slug(text: string): string"])
        ).diagnostics
        assert "E305" not in [diagnostic.code for diagnostic in found]

    def test_of_python_files_it_names_the_missing_one(self) -> None:
        found = check(makes(1, "other.py", "web.js", provides=["slugline:slug() -> str"])).diagnostics
        (hint,) = [diagnostic.hint for diagnostic in found if diagnostic.code == "E305"]
        assert hint.startswith("add `slugline.py` to allowed_files")


class TestGlobs:
    @pytest.mark.parametrize(
        "fields",
        [
            {"allowed_files": ["src/*.py"]},
            {"forbidden": ["tests/?"]},
            {"context_files": ["a[0].py"]},
            {"preconditions": [absent("*.md")]},
        ],
    )
    def test_a_glob_is_told_once_and_not_as_a_schema_problem(self, fields: Json) -> None:
        assert codes(order(**fields)) == ["E004"]

    def test_a_glob_in_the_verify_contract_is_told(self) -> None:
        assert codes(order(), verify_contract=verified_by("make check", "*.sh")) == ["E004"]

    def test_words_in_forbidden_are_an_error_of_a_model_and_kept_in_a_plan_that_people_have(self) -> None:
        words = "Do not modify any lifesim/ source files, *.py or others"
        globs, plain = (order(forbidden=[text]) for text in (words, words.replace("*", "")))
        assert codes(globs) == codes(plain) == ["W107"]

        def new(document: Json, before: Json | None = None) -> list[tuple[str, str]]:
            amendment = None if before is None else Amendment(Plan.model_validate(manifest(before)))
            checked = check_document(
                manifest(document), frozenset(), is_new=amendment is None, amendment=amendment
            )
            forbids = "/work_orders/0/forbidden/0"
            return [(found.code, found.pointer) for found in checked.diagnostics if found.pointer == forbids]

        assert new(globs) == [("E004", "/work_orders/0/forbidden/0")]
        assert new(plain) == [("E005", "/work_orders/0/forbidden/0")]
        assert new(plain, before=order()) == [("E005", "/work_orders/0/forbidden/0")]
        assert new(plain, before=plain) == [("W107", "/work_orders/0/forbidden/0")]
        assert new(globs, before=globs) == [("W107", "/work_orders/0/forbidden/0")]

    @pytest.mark.parametrize(
        ("allowed", "forbidden", "pointers"),
        [
            (["a.py", "src/b.py"], ["docs", "src/"], ["/work_orders/0/forbidden/1"]),
            (["a.py"], ["a.py"], ["/work_orders/0/forbidden/0"]),
            (["a.py"], ["a.pyc", "a", "src"], []),
            (["a.py"], [" a.py", "Do not modify a.py"], [f"/work_orders/0/forbidden/{n}" for n in (0, 1)]),
            (["src/b.py"], ["Do not modify src/", "Keep the names in src/b.py"], []),
        ],
    )
    def test_what_is_allowed_and_forbidden(
        self, allowed: list[str], forbidden: list[str], pointers: list[str]
    ) -> None:
        found = check(
            order(
                allowed_files=allowed,
                forbidden=forbidden,
                preconditions=[absent(path) for path in allowed],
                postconditions=[exists(path) for path in allowed],
            )
        ).diagnostics
        assert [diagnostic.pointer for diagnostic in found if diagnostic.code == "E107"] == pointers

    def test_words_in_forbidden_are_told_with_what_they_name(self) -> None:
        words = "Leave lib/ and README.md as they are"
        (found,) = check(order(forbidden=["my notes/", words]), repo=("README.md", "my notes/a")).diagnostics
        assert found.pointer == "/work_orders/0/forbidden/1"
        assert found.message == f"`{words}` is words, not a path; they name `lib`, `README.md`"


class TestShellSyntax:
    @pytest.mark.parametrize(
        "command",
        [
            "a && b",
            "a&&b",
            "a || b",
            "a | b",
            "a ; b",
            "a; b",
            "a &",
            "a > out.txt",
            "a >out.txt",
            "a 2>&1",
            "a < in.txt",
            "a <<< text",
            "diff <(a) b",
            "(cd src)",
            "a $(b)",
            'a "$(b)"',
            "a `b`",
            'a "`b`"',
            "a $HOME",
            'a "$HOME/x"',
            "a ${HOME}",
            "a $1",
            "a $?",
            "ls ~",
            "ls ~/x",
            "X=1 a",
            "X=1",
            "cd src",
            "export X=1",
            "source x.sh",
            ". x.sh",
            "set -e",
            "a\nb",
            "a \\\n b",
            "env X=1 bash -c 'a; b'",
            "/usr/bin/env -S bash -c 'a; b'",
            "eval a",
            "bash -c \"python -c 'pass' || true\"",
            "python -c 'import a' && false",
            "python -c 'import a'&&false",
            "python -c 'import a' |cat",
            "python -c 'import a'; true",
            "python -c 'import a' >>out",
            "a |& b",
            "a 2>/dev/null",
            "a &> out",
            "python -m pytest -q tests/test_*.py",
            "env X=1 pytest -q 'tests/*.py'",
            "timeout 9 pytest tests/test_?.py::test_a",
            "python -m py_compile src/*.py",
            "grep -l word src/*.py",
            "grep -e word src/[ab].py",
            "cat docs/*.md",
            "test -f src/*.py",
        ],
    )
    def test_what_only_a_shell_understands_is_found(self, command: str) -> None:
        assert "E003" in command_codes(command)

    @pytest.mark.parametrize(
        "command",
        [
            'python -c "print(1 if 2>1 else 0); x=3"',
            "python -c 'import os; print(os.sep) if 1 | 2 & 3 else None'",
            "python -c \"print('${name} `x` $HOME')\"",
            "grep -E 'a|b' f",
            'grep "a;b && c" f',
            "grep 'cost: $HOME' f",
            "grep cost:\\$HOME f",
            "awk '{print $1}' f",
            "grep -E 'x$' f",
            "grep a$ f",
            "env X=1 a",
            "env X=1 Y=2 a b=c",
            "a --flag=X=1",
            "a b~c",
            "a 'b\nc'",
            "echo test",
            "test -f x",
            "bash -c 'a b'",
            "bash -c \"grep 'a|b' f\"",
            "bash -c 'a && b'",
            "sh -lc 'a | b'",
            "/bin/bash -c 'cd src && a'",
            "bash -c \"bash -c 'a > b'\"",
            "env  Y=1   bash  -o pipefail -c  'X=1 a'",
            "timeout 5 sh -c 'a $HOME'",
            "sh -c 'a 2>&1 | b'",
            "bash -c 'set -e; a; b'",
            "bash -c 'shopt -s failglob; a *.js'",
            "bash -c 'x=1; a $x'",
            "pytest -k 'a or b' tests::x",
            "pytest 'tests/test_a.py::test_b[1-*]'",
            "pytest -k 'a*' --ignore-glob 'tests/*' tests",
            "python -m unittest discover -p 'test_*.py'",
            "find . -name '*.py'",
            "grep -rn 'a.*b' --include=*.py src",
            "grep -e '^a[bc]*' src",
            "python -m app 'data/*.csv'",
            "\n a \n",
        ],
    )
    def test_what_needs_no_shell_is_left_alone(self, command: str) -> None:
        assert "E003" not in command_codes(command)

    def test_the_command_of_the_verify_contract_is_judged_too(self) -> None:
        contract = verified_by("a && b")
        assert codes(order(), verify_contract=contract) == ["E003"]


class TestPythonSyntax:
    @pytest.mark.parametrize(
        "command",
        [
            "python -c 'x ='",
            "python3.11 -Bc 'for x in'",
            "/usr/bin/python3 -W ignore -c 'import a; for x in y: z'",
            "env X=1 python -c '('",
            "bash -c \"python -c 'x ='\"",
            "python -c '" + "(" * 5000 + "'",
            "python -c '" + "-" * 15000 + "1'",
            "uv run python -c 'x ='",
        ],
    )
    def test_code_that_is_not_python_is_found(self, command: str) -> None:
        assert "E006" in command_codes(command)

    @pytest.mark.parametrize(
        "command",
        [
            "python -c 'pass'",
            "python -c '\"\\d\"'",
            "python -m x -c 'x ='",
            "python x.py -c 'x ='",
            "python -c",
        ],
    )
    def test_other_code_is_left_alone(self, command: str) -> None:
        assert "E006" not in command_codes(command)


class TestUnreadableCommands:
    @pytest.mark.parametrize(
        "command",
        [
            "",
            "  ",
            "a 'b",
            'a "b',
            "a \\",
            "''",
            "'' a",
            "a \0",
            'bash -c "it\'s"',
            "env -S 'a \"'",
            "if " * 20 + "a",
        ],
    )
    def test_a_command_without_words_is_found(self, command: str) -> None:
        assert "E007" in command_codes(command)

    def test_an_empty_command_is_told_once(self) -> None:
        assert command_codes(" ") == {"E007"}


class TestPreconditions:
    def test_a_file_must_have_been_promised(self) -> None:
        assert codes(makes(1, "a.py"), makes(2, "b.py", preconditions=[exists("a.py")])) == []
        assert codes(makes(1, "a.py"), makes(2, "b.py", preconditions=[exists("c.py")])) == ["E101"]

    def test_a_file_of_a_later_work_order_does_not_count(self) -> None:
        assert codes(makes(1, "a.py", preconditions=[exists("b.py")]), makes(2, "b.py")) == ["E101"]

    def test_a_work_order_does_not_meet_its_own_precondition(self) -> None:
        assert codes(makes(1, "a.py", preconditions=[exists("a.py")])) == ["E101"]

    def test_the_files_of_the_repository_count(self) -> None:
        step = makes(1, "a.py", preconditions=[exists("a.py"), exists("lib")])
        assert codes(step, repo=("a.py", "lib/b.py")) == []

    def test_a_file_that_must_be_absent_may_not_have_been_made(self) -> None:
        step = makes(2, "b.py", preconditions=[absent("a.py")])
        assert codes(makes(1, "c.py"), step) == []
        assert codes(makes(1, "a.py"), step) == ["E101"]

    def test_what_is_only_possibly_there_is_a_warning(self) -> None:
        legacy = order(1, allowed_files=["a.py"], acceptance_commands=["python a.py"])
        assert codes(legacy, makes(2, "b.py", preconditions=[exists("a.py")])) == ["W103"]
        assert codes(legacy, makes(2, "b.py", preconditions=[absent("a.py")])) == ["W103"]

    def test_chain_rules_wait_for_a_whole_plan(self) -> None:
        assert codes(makes(1, "a.py", preconditions=[exists("b.py")]), order(2, title=1)) == ["E005"]


class TestPostconditions:
    def test_a_promise_stays_within_the_allowed_files(self) -> None:
        assert codes(makes(1, "a.py", postconditions=[exists("a.py"), exists("b.py")])) == ["E103"]

    @pytest.mark.parametrize("lock", ["Cargo.lock", "web/package-lock.json", "go.sum"])
    def test_a_lock_is_for_its_tool_to_write(self, lock: str) -> None:
        assert codes(makes(1, "a.py", lock)) == ["E103"]
        assert "E103" in codes(order(allowed_files=["a.py", lock]))
        kept = makes(1, "a.py", lock, preconditions=[exists(lock)])
        assert "E103" not in codes(kept, repo=(lock,))
        assert "E103" not in codes(makes(1, "Cargo.lock"), repo=("Cargo.toml",))

    def test_every_allowed_file_is_promised_once_conditions_are_declared(self) -> None:
        assert codes(order(allowed_files=["a.py", "b.py"], postconditions=[exists("a.py")])) == ["E104"]
        assert codes(order(allowed_files=["a.py"], preconditions=[absent("a.py")])) == ["E104"]

    def test_a_work_order_without_conditions_promises_nothing(self) -> None:
        assert codes(order(allowed_files=["a.py", "b.py"])) == []


class TestConditions:
    def test_a_model_says_what_is_true_before_or_after(self) -> None:
        silent, speaking = order(), makes(1, "a.py")

        def judged(document: Json, before: Json | None = None, *, is_new: bool = True) -> list[str]:
            amendment = None if before is None else Amendment(Plan.model_validate(manifest(before)))
            checked = check_document(manifest(document), frozenset(), is_new=is_new, amendment=amendment)
            return [found.pointer for found in checked.diagnostics if found.code == "E108"]

        place = ["/work_orders/0/postconditions"]
        assert judged(silent) == judged(silent, before=speaking) == place
        assert judged(speaking) == judged(order(preconditions=[absent("file_1.py")])) == []
        # Plans that people have, and what a revision leaves as it was.
        assert judged(silent, is_new=False) == judged(silent, before=silent) == []


class TestExemptions:
    def test_an_exemption_names_an_acceptance_command_of_its_work_order(self) -> None:
        def unused(*exempt: str) -> list[str]:
            listed = [{"command": command, "reason": "It stays as it is."} for command in exempt]
            first = makes(1, "a.py", acceptance_commands=["python a.py", "pytest -q"], red_exempt=listed)
            second = makes(2, "b.py", acceptance_commands=["python b.py"])
            diagnostics = check(first, second, repo=("tests/test_a.py",)).diagnostics
            return [diagnostic.pointer for diagnostic in diagnostics if diagnostic.code == "E404"]

        assert unused() == unused("python a.py") == unused("pytest -q", "python a.py") == []
        assert unused("pytest  -q") == unused("python b.py") == ["/work_orders/0/red_exempt/0/command"]
        assert unused("pytest -q", "pytest") == ["/work_orders/0/red_exempt/1/command"]


class TestVerifyInAcceptance:
    @pytest.mark.parametrize(
        "command",
        [
            "bash scripts/verify.sh",
            "bash   scripts/verify.sh",
            "sh scripts/verify.sh",
            "./scripts/verify.sh",
            "scripts/verify.sh",
            "scripts//verify.sh --fast",
            "bash ./scripts/../scripts/verify.sh",
            "/bin/bash scripts/verify.sh",
            "bash /home/me/repo/scripts/verify.sh",
            "bash -eu -o pipefail scripts/verify.sh",
            "bash -- scripts/verify.sh",
            "env X=1 bash scripts/verify.sh",
            "/usr/bin/env -i -u HOME bash scripts/verify.sh",
            "/usr/bin/env -S 'bash -e scripts/verify.sh'",
            "/usr/bin/env -S 'X=1 bash' scripts/verify.sh",
            "env --chdir=scripts bash verify.sh",
            "bash -c 'scripts/verify.sh'",
            "bash -c \"bash -c './scripts/verify.sh'\"",
            "bash -c 'cd scripts && bash verify.sh'",
            "bash -c 'if true; then ./scripts/verify.sh; fi'",
            "true && bash scripts/verify.sh",
            "bash -c '. scripts/verify.sh'",
            "bash -c 'exec scripts/verify.sh'",
            "eval bash scripts/verify.sh",
            "timeout -k 5 60 bash scripts/verify.sh",
            "nice -n 5 nohup ./scripts/verify.sh",
            "poetry run bash scripts/verify.sh",
            "python -c \"import os; os.system('bash scripts/verify.sh')\"",
            "python -c \"import subprocess as s, subprocess; subprocess.run(['sh', 'scripts/verify.sh'])\"",
            "python -c \"from subprocess import check_call; check_call(args=['scripts/verify.sh'])\"",
            "python -c \"import os; os.execvp('bash', ['bash', 'scripts/verify.sh'])\"",
        ],
    )
    def test_every_spelling_is_seen_through(self, command: str) -> None:
        assert "E105" in command_codes(command)

    @pytest.mark.parametrize(
        "command",
        [
            "test -f scripts/verify.sh",
            "bash -n scripts/verify.sh",
            "cat scripts/verify.sh",
            "bash scripts/verify_parser.sh",
            "bash other/scripts/verify.sh",
            "bash -c 'cd other && bash scripts/verify.sh'",
            "python -c \"import os; assert os.path.exists('scripts/verify.sh')\"",
            "pytest -q",
        ],
    )
    def test_looking_at_the_script_is_not_running_it(self, command: str) -> None:
        assert "E105" not in command_codes(command)

    @pytest.mark.parametrize(
        ("verify", "command", "is_reported"),
        [
            ("bash tools/check.sh", "./tools/check.sh", True),
            ("bash tools/check.sh", "bash tools/check2.sh", False),
            ("python tools/check.py", "python3 ./tools/check.py -v", True),
            ("python manage.py test", "python3 manage.py test", True),
            ("python manage.py test", "python3 manage.py check", False),
            ("python -m pytest -q", "env X=1 pytest -q", True),
            ("pytest -q", "python3.11 -m pytest -q", True),
            ("pytest -q", "pytest -q tests/test_a.py", False),
            ("make verify", "make  verify", True),
            ("make verify", "make build", False),
            ("make verify", "sh scripts/verify.sh", True),
        ],
    )
    def test_the_command_of_the_contract_counts(self, verify: str, command: str, is_reported: bool) -> None:
        step = order(acceptance_commands=[command])
        assert ("E105" in codes(step, verify_contract=verified_by(verify))) is is_reported


class TestNeverVerified:
    def test_the_required_files_must_be_promised_by_the_end(self) -> None:
        contract = verified_by("bash scripts/verify.sh", "scripts/verify.sh", "b.py")
        diagnostics = check(makes(1, "scripts/verify.sh"), verify_contract=contract).diagnostics
        assert [(diagnostic.code, diagnostic.pointer) for diagnostic in diagnostics] == [
            ("E106", "/verify_contract/requires/1")
        ]
        assert codes(makes(1, "scripts/verify.sh"), makes(2, "b.py"), verify_contract=contract) == []

    def test_a_file_that_must_be_absent_may_not_be_made(self) -> None:
        contract = {"command": "make", "requires": [absent("a.py")]}
        assert codes(makes(1, "a.py"), verify_contract=contract) == ["E106"]

    def test_a_file_that_is_only_possibly_there_is_a_warning(self) -> None:
        contract = verified_by("make", "a.py")
        assert codes(order(allowed_files=["a.py"]), verify_contract=contract) == ["W103"]


class TestMissingPrograms:
    @pytest.mark.parametrize(
        "command",
        [
            "python -m app.cli",
            "python3 -Im app",
            "python tools/x.py",
            "python -c 'import app.core'",
            "python -c 'from app import core'",
            "python -c 'import importlib; importlib.import_module(\"app.core\")'",
            "bash tools/x.sh",
            "./tools/x.sh",
            "tools/x",
            "node tools/x.js",
            "pytest tests/test_x.py",
            "python -m pytest tests/test_x.py::TestX::test_y -q",
            "env X=1 bash -c 'python -m app'",
            "coverage run -m app",
        ],
    )
    def test_what_no_one_makes_is_a_warning(self, command: str) -> None:
        checked = check(order(acceptance_commands=[command]), repo=("README.md",))
        assert [diagnostic.code for diagnostic in checked.diagnostics] == ["W101"]
        assert checked.ok

    @pytest.mark.parametrize(
        "command",
        [
            "python -m json.tool x",
            "python -m pytest -q",
            "python -m unittest",
            "python -m pip list",
            "python -c 'import sys, os.path'",
            "pytest -k test_x.py",
            "mypy src",
            "bash -c 'mypy src'",
            "/opt/tool/run.sh",
            "python",
            "python -",
        ],
    )
    def test_what_is_installed_is_expected(self, command: str) -> None:
        assert codes(order(acceptance_commands=[command])) == []

    @pytest.mark.parametrize(
        ("command", "path"),
        [
            ("python -m app.cli", "app/cli.py"),
            ("python -m app.cli", "src/app/cli.py"),
            ("python -m app", "app/__main__.py"),
            ("python -c 'import app.core'", "app/core/__init__.py"),
            ("python -c 'import app'", "src/app/deep.py"),
            ("env PYTHONPATH=lib python -m app", "lib/app.py"),
            ("env -C tools python -m app", "tools/app.py"),
            ("python -c 'import sys; sys.path.insert(0, \"lib\"); import app'", "lib/app.py"),
            ("bash -c 'cd tools && ./x.sh'", "tools/x.sh"),
            ("python app", "app/__main__.py"),
        ],
    )
    def test_it_is_found_where_the_program_would_look(self, command: str, path: str) -> None:
        assert "W101" not in command_codes(command, path)
        assert "W101" in command_codes(command, "other.py")

    def test_a_package_without_a_main_module_cannot_be_run(self) -> None:
        assert command_codes("python -m app", "app/__init__.py") == {"E301"}

    def test_the_work_order_itself_may_make_it(self) -> None:
        assert codes(makes(1, "app.py", acceptance_commands=["python app.py", "python -m app"])) == []

    @pytest.mark.parametrize(
        "commands",
        [
            ("npx --no-install tsc", "node dist/index.js"),
            ("npm run build", "node packages/app/dist/index.js"),
            ("go build -o bin/tally ./cmd", "bin/tally --version"),
            ("gcc -o tally tally.c", "./tally"),
            ("cargo build --offline", "target/debug/tally"),
            ("npx esbuild a.ts --outfile=lib/a.js", "node lib/a.js"),
        ],
    )
    def test_what_an_earlier_command_builds_is_there(self, commands: tuple[str, ...]) -> None:
        assert codes(makes(1, "src/index.ts", acceptance_commands=[*commands])) == []
        assert codes(makes(1, "src/index.ts", acceptance_commands=[commands[1]])) == ["W101"]

    def test_a_script_that_builds_is_made_by_somebody(self) -> None:
        assert codes(makes(1, "a.py", acceptance_commands=["python tools/build.py"])) == ["W101"]

    def test_a_later_work_order_does_not_help(self) -> None:
        first = makes(1, "a.py", acceptance_commands=["python b.py"])
        assert codes(first, makes(2, "b.py")) == ["W101"]

    def test_what_may_be_written_is_not_promised(self) -> None:
        legacy = order(1, allowed_files=["a.py"])
        uses = {"acceptance_commands": ["python a.py"]}
        assert codes(legacy, makes(2, "b.py", **uses)) == ["W101"]
        # Where no work order promises anything, there is nothing else to go by.
        assert codes(legacy, order(2, **uses)) == []

    @pytest.mark.parametrize(
        "command",
        [
            "bats-of-this-product tests/cli.bats",
            "timeout 5 no-such-program --version",
            "python -m pytest -q --cov=app",
            "pytest --cov-fail-under 90",
            "pytest -n 2",
            "pytest -n4",
            "pytest --benchmark-only",
            "python -m pytest -p pytest_golden_trees tests",
            "node -e \"require('left-pad')\"",
        ],
    )
    def test_what_must_be_installed_first_is_a_warning(self, command: str) -> None:
        assert codes(order(acceptance_commands=[command]), repo=("tests/test_a.py",)) == ["W101"]

    @pytest.mark.parametrize(
        "command",
        [
            "make check",
            "git status",
            "npx tsc --noEmit",
            "pytest --co --color=no --continue-on-collection-errors -rA --durations=3",
            "pytest -p no:cacheprovider -p pytester --timeoutish",
            "pytest -p app.plugin tests",
            "pytest -k -n",
            "node -e \"require('fs'); require('node:path'); require('./app.js')\"",
            "./tools/run",
            "bash -c 'no-such-program x'",
        ],
    )
    def test_what_is_usual_or_made_is_left_alone(self, command: str) -> None:
        repo = ("tests/test_a.py", "app/__init__.py", "app/plugin.py", "tools/run", "app.js")
        assert codes(order(acceptance_commands=[command]), repo=repo) == []

    def test_what_the_repository_says_it_needs_is_expected(self) -> None:
        files = {"pyproject.toml": b'dependencies = ["pytest-cov>=4", "Left-Pad"]', "package.json": b"{}"}
        sources = Sources(frozenset(files), files.get)

        def found(command: str) -> list[str]:
            document = manifest(order(acceptance_commands=[command]))
            diagnostics = check_document(document, frozenset(files), sources=sources).diagnostics
            return [diagnostic.code for diagnostic in diagnostics]

        assert found("pytest -q --cov=app") == found("node -e \"require('left-pad')\"") == []
        assert found("pytest -q --timeout=3") == ["W101"]


class TestContextFiles:
    def test_a_context_file_must_come_from_somewhere(self) -> None:
        assert codes(order(context_files=["x.py"])) == ["W102"]
        assert codes(order(context_files=["x.py"]), repo=("x.py",)) == []
        assert codes(order(context_files=["file_1.py"])) == []
        assert codes(order(1), order(2, context_files=["file_1.py"])) == []
        assert codes(order(1, context_files=["file_2.py"]), order(2)) == ["W102"]
