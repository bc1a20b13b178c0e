"""The work order that a plan for a new repository begins with: when it is given, and how it is named."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from factory.languages.python.language import PYTHON
from factory.languages.starters import starter
from factory.languages.table import default_verification
from factory.languages.typescript.language import TYPESCRIPT
from planner.check.document import check_document, check_reply
from planner.plan.bootstrap import bootstrap, with_given
from tests.support.plans import absent, exists, makes, manifest, order, verified_by

REQUIREMENT = {"id": "REQ-01", "text": "It greets.", "quotes": ["Greet."]}
SECOND = makes(
    2,
    "hello.py",
    requirements=["REQ-01"],
    preconditions=[exists("scripts/verify.sh"), absent("hello.py")],
    acceptance_commands=["python hello.py"],
)


def test_a_repository_that_says_how_it_is_verified_gets_none() -> None:
    package = {"scripts": {"test": "ava"}, "devDependencies": {"ava": "^6"}}
    files = {"package.json": json.dumps(package).encode(), "index.js": b"export default 1;\n"}
    own = default_verification(files, files.get)

    assert bootstrap(frozenset(files), (TYPESCRIPT,), own) is None
    files["package.json"] = b"{}"
    assert bootstrap(frozenset(files), (TYPESCRIPT,), default_verification(files, files.get)) is not None


class Other:
    """A language beside Python."""

    name = "Other"

    def __init__(self, verify: str) -> None:
        self._verify = verify

    def starter(self, files: object) -> dict[str, str]:
        return {"scripts/verify.sh": self._verify, ".gitignore": "__pycache__/\ntarget/\n"}


def answer(*orders: object) -> str:
    contract = verified_by("bash scripts/verify.sh", "scripts/verify.sh")
    return json.dumps(manifest(*orders, verify_contract=contract, requirements=[REQUIREMENT]))  # type: ignore[arg-type]


@pytest.mark.parametrize("orders", [[{"same_as": "WO-01"}, SECOND], [SECOND]], ids=["named", "left out"])
def test_a_plan_that_begins_with_it_is_sound_and_without_a_warning(orders: list[object]) -> None:
    given = bootstrap(frozenset(), (PYTHON,))

    checked = check_reply(answer(*orders), frozenset(), given=given)

    assert checked.diagnostics == ()
    assert checked.plan is not None
    assert checked.plan.work_orders[0] == given
    assert given is not None and [file.path for file in given.fixed_files] == [
        ".gitignore",
        "scripts/verify.sh",
    ]
    # On the disk it is a plan like any other.
    assert check_document(checked.document, frozenset()).ok


def test_a_model_may_write_the_first_work_order_itself_but_not_its_fixed_texts() -> None:
    first = makes(
        1,
        "scripts/verify.sh",
        fixed_files=[{"path": "scripts/verify.sh", "text": "true\n"}],
        acceptance_commands=["grep -q pytest scripts/verify.sh"],
    )

    checked = check_reply(answer(first, SECOND), frozenset(), given=bootstrap(frozenset(), (PYTHON,)))

    assert checked.plan is not None
    assert checked.plan.work_orders[0].fixed_files == ()


@pytest.mark.parametrize(
    ("orders", "pointer"),
    [
        ([{"same_as": "WO-01"}, SECOND, {"same_as": "WO-01"}], "/work_orders/2"),
        ([{"same_as": "WO-02"}, SECOND], "/work_orders/0"),
        ([{"same_as": "WO-01", "title": "Mine"}, SECOND], "/work_orders/0"),
    ],
)
def test_nothing_else_can_be_named(orders: list[Any], pointer: str) -> None:
    checked = check_reply(answer(*orders), frozenset(), given=bootstrap(frozenset(), (PYTHON,)))

    assert ("E211", pointer) in {(found.code, found.pointer) for found in checked.diagnostics}


@pytest.mark.parametrize(
    "document", [None, [], {"work_orders": 1}, {"work_orders": []}, {"work_orders": [1]}]
)
def test_what_is_no_plan_stays_as_it_is(document: Any) -> None:
    given = bootstrap(frozenset(), (PYTHON,))
    assert given is not None
    assert with_given(document, given) == document


def test_it_is_given_only_where_nothing_verifies_the_repository() -> None:
    assert bootstrap(frozenset({"scripts/verify.sh"}), (PYTHON,)) is None
    assert bootstrap(frozenset({"tests/test_a.py"}), (PYTHON,)) is None
    given = bootstrap(frozenset({"README.md", ".gitignore"}), (PYTHON,))
    assert given is not None
    assert given.allowed_files == ("scripts/verify.sh",)


@pytest.mark.parametrize(
    ("verify", "exit_code"), [("cd /; exit 0", 0), ("exit 7", 7), ("set -e\nfalse\ntrue", 1)]
)
def test_the_scripts_of_several_languages_run_one_after_the_other(
    verify: str, exit_code: int, tmp_path: Path
) -> None:
    first = Other(f"#!/usr/bin/env bash\n{verify}\n")
    second = Other('#!/usr/bin/env bash\nset -eu\ncd "$(dirname "${BASH_SOURCE[0]}")/.."\ntouch reached\n')
    second.name = "Third"
    texts = starter((first, second), frozenset())  # type: ignore[arg-type]
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)

    done = subprocess.run(["bash", "scripts/verify.sh"], cwd=tmp_path, timeout=20)

    assert done.returncode == exit_code
    assert (tmp_path / "reached").exists() is (exit_code == 0)
    assert texts[".gitignore"] == "__pycache__/\ntarget/\n"


def test_a_plan_of_its_own_needs_none() -> None:
    assert (
        check_reply(json.dumps(manifest(order(), requirements=[])), frozenset(), given=None).plan is not None
    )
