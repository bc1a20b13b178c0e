"""Which files and which parts of files are the user's configuration: decided from paths and texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.configuration.guarded import NotAccepted, obeyed, require_accepted, require_listed
from factory.configuration.guarded_parts import Guard, trespass
from factory.configuration.shadowing import shadowed
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from tests.support.repositories import a_work_order

ALWAYS = (
    "workorder.toml",
    "WorkOrder.TOML",
    "\uff57orkorder.toml",
    ".gitattributes",
    "data/.gitattributes",
    ".gitmodules",
    ".gitconfig",
    ".githooks/pre-commit",
    ".husky/_/x",
    ".pre-commit-config.yaml",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    ".ci/run.sh",
    "sitecustomize.py",
    "src/sitecustomize.py",
    "usercustomize/__init__.py",
    "lib/a.pth",
    "services/api/workorder.toml",
)
NEVER = (
    "src/app.py",
    ".gitignore",
    "docs/.ci/x",
    "workorder.toml.md",
    "pyproject.toml",
    "conftest.py",
    "scripts/verify.sh",
    ".github/CODEOWNERS",
    "sitecustomize/app.py",
)


@pytest.mark.parametrize("path", ALWAYS)
def test_what_is_obeyed_is_the_user_s(path: str) -> None:
    assert obeyed(RepoPath.parse(path) if path.isascii() else RepoPath(path))


@pytest.mark.parametrize("path", NEVER)
def test_what_is_only_read_is_not(path: str) -> None:
    assert obeyed(RepoPath.parse(path)) is None


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("pytest.py", "pytest"),
        ("_pytest/__init__.py", "_pytest"),
        ("src/JSON.py", "json"),
        ("pytest_cov.py", "pytest_cov"),
        ("app/json.py", None),
        ("json/data.py", None),
        ("json", None),
        ("tests/__init__.py", None),
        ("tally.py", None),
    ],
)
def test_a_module_takes_the_place_of_one_that_judges(path: str, module: str | None) -> None:
    assert shadowed(RepoPath.parse(path)) == module


# Before a model is asked


def orders(*allowed: list[str]) -> list[WorkOrder]:
    return [
        WorkOrder.model_validate(a_work_order(id=f"WO-{number:02d}", allowed_files=list(files)))
        for number, files in enumerate(allowed, start=1)
    ]


def refused(*allowed: list[str], there: tuple[str, ...] = (), accepted: tuple[str, ...] = ()) -> str:
    try:
        require_accepted(
            orders(*allowed),
            there.__contains__,
            frozenset(map(RepoPath, accepted)),
            {RepoPath("hooks"): "git runs what lies there"},
        )
    except NotAccepted as error:
        return f"{error.message} | {error.hint}"
    return ""


def test_all_files_are_named_with_the_options_that_accept_them() -> None:
    said = refused(["app.py", "workorder.toml"], [".ci/my job", "hooks/pre-push", "workorder.toml"])

    assert "`workorder.toml` of WO-01: it configures Workorder" in said
    assert "`hooks/pre-push` of WO-02: git runs what lies there" in said
    assert "--allow-config workorder.toml --allow-config '.ci/my job' --allow-config hooks/pre-push" in said
    assert said.count("`workorder.toml`") == 1


def test_what_is_accepted_is_let_through_and_nothing_beside_it() -> None:
    assert refused(["workorder.toml"], accepted=("workorder.toml",)) == ""
    assert "`.ci/a`" in refused(["workorder.toml", ".ci/a"], accepted=("workorder.toml",))


def test_a_plan_makes_the_verification_and_never_changes_it() -> None:
    assert refused(["scripts/verify.sh"], ["app.py"]) == ""
    assert "WO-01: it verifies" in refused(["scripts/verify.sh"], there=("scripts/verify.sh",))
    assert "WO-02: it verifies" in refused(["scripts/verify.sh"], ["scripts/verify.sh"])


def test_a_module_that_the_user_has_is_theirs_to_have() -> None:
    assert "in place of `queue`" in refused(["queue.py"])
    assert refused(["queue.py"], there=("queue.py",)) == ""


def test_an_option_that_fits_no_work_order_is_a_mistake() -> None:
    require_listed(orders(["a.py"], ["workorder.toml"]), [RepoPath("workorder.toml")])
    with pytest.raises(NotAccepted, match="no work order lists this file"):
        require_listed(orders(["a.py"]), [RepoPath("workorder.toml")])


# In a proposal

FIXTURES = """\
import pytest

ROOT = 1

def helper():
    return ROOT

def pytest_collection_modifyitems(items):
    items.sort(key=helper)

@pytest.fixture
def db():
    return {}
"""
PYPROJECT = '[project]\nname = "x"\n[tool.pytest.ini_options]\naddopts = "-q"\n'
PYPROJECT += '[tool.workorder]\nlimits = {mem = "2G"}\n'


def changed(path: str, old: str | None, new: str, **base: str) -> str:
    """What of the user's a write changes; the base has `old`, and what `base` adds."""
    files = {name.replace("__", "."): text for name, text in base.items()}
    if old is not None:
        files.setdefault(path, old)

    def at_base(name: RepoPath) -> bytes | None:
        return files[name].encode() if name in files else None

    was = None if old is None else old.encode()
    trespassed = trespass(RepoPath.parse(path), was, new.encode(), at_base)
    return trespassed.part if trespassed else ""


@pytest.mark.parametrize(
    ("new", "part"),
    [
        (PYPROJECT, ""),
        (PYPROJECT.replace('"x"', '"y"') + "[tool.ruff]\nline-length = 90\n", ""),
        (PYPROJECT.replace("2G", "9G"), "changes `[tool.workorder]`"),
        (PYPROJECT.split("[tool.workorder]")[0], "changes `[tool.workorder]`"),
        (PYPROJECT.replace("-q", "--co"), "pytest's configuration: `addopts`"),
        (PYPROJECT.replace('"-q"\n', '"-q"\npython_files = []\n'), "`python_files`"),
        (PYPROJECT.replace('"-q"\n', '"-q"\nmarkers = ["slow"]\n'), ""),
        (PYPROJECT.replace("[tool.pytest.ini_options]\naddopts", "[tool.other]\naddopts"), "`addopts`"),
        (PYPROJECT + '[tool.pytest]\naddopts = ["--co"]\n', "`addopts`"),
        ("[broken", "is not valid TOML"),
        ("a = " + "[" * 20_000, "is not valid TOML"),
        ("#" * 1_000_001, "has more than 1,000,000 bytes"),
    ],
)
def test_of_a_pyproject_only_two_tables_are_the_user_s(new: str, part: str) -> None:
    assert (
        part in changed("pyproject.toml", PYPROJECT, new)
        if part
        else not changed("pyproject.toml", PYPROJECT, new)
    )


def test_a_new_project_configures_its_own_tests() -> None:
    tables = PYPROJECT.split("[tool.workorder]")[0]

    assert changed("pyproject.toml", None, tables) == ""
    assert changed("pyproject.toml", "[project]\n", tables) == ""
    assert changed("pytest.ini", None, "[pytest]\naddopts = -q\n") == ""
    assert changed("conftest.py", None, FIXTURES) == ""
    assert "changes `[tool.workorder]`" in changed("pyproject.toml", None, PYPROJECT)


SELECTING = {
    "python_functions = check_*": "`python_functions`",
    "python_classes = Check": "`python_classes`",
    "python_files = check_*.py": "`python_files`",
    "norecursedirs = tests": "`norecursedirs`",
    "collect_imported_tests = false": "`collect_imported_tests`",
    "addopts = -k fast": "`addopts = -k`",
    "addopts = -qkfast": "`addopts = -k`",
    "addopts = -m 'not slow'": "`addopts = -m`",
    "addopts = --co": "`addopts = --co`",
    "addopts = --collect-only": "`addopts = --collect-only`",
    "addopts = --ignore=tests": "`addopts = --ignore`",
    "addopts = --ignore-glob '*'": "`addopts = --ignore-glob`",
    "addopts = -q --deselect tests/test_a.py::test_a": "`addopts = --deselect`",
    "addopts = -p no:python": "`addopts = -p no:python`",
    "addopts = -pno:python": "`addopts = -p no:python`",
    "addopts = --lf": "`addopts = --lf`",
    "addopts = --sw": "`addopts = --sw`",
    "addopts = --noconftest": "`addopts = --noconftest`",
    "addopts = -o python_functions=check_*": "`addopts = -o python_functions`",
    "addopts = --override-ini=addopts=--co": "`addopts = -o addopts = --co`",
    "addopts = -c other.ini": "`addopts = -c`",
    "addopts = -q tests/test_easy.py": "`addopts = tests/test_easy.py`",
    "addopts = -- tests/test_easy.py": "`addopts = tests/test_easy.py`",
    "addopts = 'open": "`addopts`",
}


@pytest.mark.parametrize("setting", SELECTING)
@pytest.mark.parametrize("old", [None, "", "[pytest]\naddopts = -q\n"])
def test_nobody_but_a_person_says_which_tests_are_found_or_run(setting: str, old: str | None) -> None:
    guard, path = Guard(lambda _path: None), RepoPath("pytest.ini")
    before = None if old is None else old.encode()
    new = f"[pytest]\n{setting}\n".encode()

    refused = guard.trespass(path, before, new)

    assert refused is not None
    assert refused.part == f"says which tests are found or run: {SELECTING[setting]}"
    assert Guard(lambda _path: None, frozenset({path})).trespass(path, before, new) is None
    # What was accepted before stays, whatever else is changed.
    assert guard.trespass(path, new, new + b"minversion = 8\n") is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".pytest.ini", "[pytest]\npython_functions = check_*\n"),
        ("tests/tox.ini", "[pytest]\npython_functions = check_*\n"),
        ("setup.cfg", "[tool:pytest]\npython_functions = check_*\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\npython_functions = "check_*"\n'),
        ("pyproject.toml", '[tool.pytest.ini_options]\npython_functions = ["check_*"]\n'),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = ["-k", "fast"]\n'),
        ("pyproject.toml", '[tool.pytest]\naddopts = ["-k", "fast"]\n'),
        ("pytest.toml", '[pytest]\npython_files = "check.py"\n'),
        ("pytest.toml", "[pytest]\npython_files = 1\n"),
        ("conftest.py", 'collect_ignore = ["test_slug.py"]\n'),
        ("tests/conftest.py", 'import os\nif os:\n    collect_ignore_glob = ["*"]\n'),
    ],
)
def test_in_whatever_file_that_is_said(path: str, text: str) -> None:
    refused = Guard(lambda _path: None).trespass(RepoPath.parse(path), None, text.encode())

    assert refused is not None
    assert "which tests are found or run" in refused.part


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pytest.ini", "[pytest]\ntestpaths = tests\npythonpath = src\nmarkers =\n    slow: takes long\n"),
        ("pytest.ini", "[pytest]\naddopts = -q -ra --strict-markers --tb=short -W error -n auto -p plugin\n"),
        (
            "pytest.ini",
            "[pytest]\naddopts = -x --ff --import-mode=importlib -p no:cacheprovider\n",
        ),
        ("pytest.ini", "[pytest]\naddopts = --cov src --cov-report term -rA --durations 5 --strict-config\n"),
        ("pytest.ini", "[pytest]\naddopts = -o cache_dir=.c --doctest-modules --junitxml out.xml\n"),
        ("pytest.ini", "[pytest]\nfilterwarnings =\n    error\nxfail_strict = true\nminversion = 7\n"),
        ("pytest.ini", "[pytest]\npython_files = test_*.py check_*.py\npython_functions = test_*\n"),
        ("pytest.ini", "[pytest]\npython_classes = Test* Check*\nnorecursedirs = .git build .venv\n"),
        ("tox.ini", "[tox]\naddopts = -k x\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = ["-q"]\ntestpaths = ["tests"]\n'),
        ("pyproject.toml", '[tool.other]\npython_functions = "x"\n'),
        ("conftest.py", "import pytest\n\ndef pytest_configure(config):\n    collect_ignore = []\n"),
        ("conftest.py", "broken(\n"),
        ("tests/data.ini", "[pytest]\npython_functions = x\n"),
    ],
)
def test_what_a_new_project_needs_is_free(path: str, text: str) -> None:
    assert Guard(lambda _path: None).trespass(RepoPath.parse(path), None, text.encode()) is None


def test_what_a_work_order_before_has_made_is_the_plan_s() -> None:
    def at_base(_path: RepoPath) -> bytes | None:
        return None

    old, new = b"[pytest]\n", b"[pytest]\naddopts = --co\n"
    assert trespass(RepoPath("pytest.ini"), old, new, at_base) is None
    assert trespass(RepoPath("conftest.py"), b"", FIXTURES.encode(), at_base) is None
    assert trespass(RepoPath("scripts/verify.sh"), b"exit 1", b"exit 0", at_base) is not None


@pytest.mark.parametrize("path", ["pytest.ini", "tests/pytest.ini", "tests/unit/tox.ini", ".pytest.ini"])
def test_no_file_takes_the_place_of_the_user_s_configuration_of_pytest(path: str) -> None:
    said = changed(path, None, "[pytest]\n", pyproject__toml=PYPROJECT)

    assert said == "configures pytest in place of `pyproject.toml`"


@pytest.mark.parametrize(
    ("path", "old", "new", "part"),
    [
        ("tox.ini", "[tox]\n", "[tox]\nenvlist = a\n", ""),
        ("tox.ini", "[pytest]\na = 1\n", "[pytest]\na = 2\n", "`a`"),
        ("tox.ini", "[pytest]\na = 1\n", "[tox]\n", "`a`"),
        ("setup.cfg", "[tool:pytest]\nmarkers = a\n", "[tool:pytest]\nmarkers = a\n  b\n", ""),
        ("setup.cfg", "[tool:pytest]\nmarkers = a\n", "[metadata]\n", "all of it"),
        ("setup.cfg", "[metadata]\nname = 1\n", "[metadata]\nname = 2\n[broken", ""),
        ("pytest.ini", "[pytest]\n", "[pytest] # ]\naddopts = --co\n", "`addopts`"),
        ("pytest.ini", "[pytest]\n", "[a]\nb = c\u2028[pytest]\u2028addopts = --co\n", "`addopts`"),
        ("pytest.ini", "[pytest]\n", "[pytest]\r[x", "head of a section"),
        ("pytest.ini", "[pytest]\n", "[pytest]\na = 1\na = 2\n", "is not valid"),
    ],
)
def test_sections_of_pytest_in_files_of_several_tools(path: str, old: str, new: str, part: str) -> None:
    said = changed(path, old, new)

    assert part in said if part else said == ""


@pytest.mark.parametrize(
    "added",
    [
        "@pytest.fixture\ndef other():\n    return 1\n",
        "@pytest.fixture(autouse=True)\nasync def other():\n    yield 1\n",
        "import os\nfrom pathlib import Path\nHERE = Path(__file__).parent\nA, B = 1, 2\n",
        "import pytest_asyncio\nfrom pytest_asyncio import fixture as made\n",
        "try:\n    import tomllib\nexcept ImportError:\n    tomllib = None\n",
        "class Client:\n    def pytest_like(self): ...\n",
        "LIMIT: int = 3\n",
    ],
)
def test_fixtures_imports_and_constants_may_be_added(added: str) -> None:
    assert changed("tests/conftest.py", FIXTURES, FIXTURES + added) == ""
    assert (
        changed("tests/conftest.py", FIXTURES, FIXTURES.replace("return {}", "return {1: 2}") + added) == ""
    )


@pytest.mark.parametrize(
    "new",
    [
        FIXTURES + "def pytest_sessionfinish():\n    pass\n",
        FIXTURES + "if True:\n    def pytest_sessionfinish(): ...\n",
        FIXTURES + "class pytest_x: ...\n",
        FIXTURES + "from helpers import pytest_sessionfinish\n",
        FIXTURES + "from helpers import end as pytest_sessionfinish\n",
        FIXTURES + "from helpers import *\n",
        FIXTURES + "import helpers as pytest_sessionfinish\n",
        FIXTURES + "pytest_plugins = ['evil']\n",
        FIXTURES + "collect_ignore = ['tests']\n",
        FIXTURES + "A = (pytest_sessionfinish := print)\n",
        FIXTURES + "@pytest.hookimpl\ndef x(): ...\n",
        FIXTURES + "globals()['pytest_x'] = print\n",
        FIXTURES + "A = exec('x')\n",
        FIXTURES + "import sys\nsys.modules['pytest'] = None\n",
        FIXTURES + "import os\nos._exit(0)\n",
        FIXTURES + "for a in (1,): pass\n",
        FIXTURES + "def __dir__(): ...\n",
        FIXTURES + "def make():\n    global pytest_x\n    pytest_x = 1\n",
        FIXTURES + "def helper():\n    return 0\n",
        FIXTURES + "ROOT = 0\n",
        FIXTURES.replace("items.sort(key=helper)", "items.clear()"),
        FIXTURES.replace("    return ROOT\n", "    return 2\n"),
        FIXTURES[: FIXTURES.index("def pytest_")],
        FIXTURES + "broken(",
        "(" * 5_000,
        FIXTURES + "\0",
        "",
    ],
)
def test_what_steers_the_runner_is_the_user_s(new: str) -> None:
    assert changed("conftest.py", FIXTURES, new).startswith("changes what steers the test runner: ")


def test_only_the_accepted_file_is_let_through() -> None:
    accepting = Guard(lambda _path: b"", frozenset({RepoPath("workorder.toml")}))

    assert accepting.trespass(RepoPath("workorder.toml"), b"", b"x") is None
    assert accepting.trespass(RepoPath(".gitattributes"), b"", b"x") is not None


@given(
    st.sampled_from(["conftest.py", "pytest.ini", "tox.ini", "pyproject.toml", "pytest.toml"]),
    st.binary(max_size=80),
    st.text(alphabet="[]pytest:#;=\n \tadop'\"\\u20\x85", max_size=80).map(str.encode),
)
def test_any_bytes_end_in_a_decision(path: str, old: bytes, new: bytes) -> None:
    for before, after in ((old, new), (new, old), (None, new)):
        part = trespass(RepoPath(path), before, after, lambda _path, text=before: text)
        assert part is None or part.part
        refused = Guard(lambda _path: None).trespass(RepoPath(path), before, after)
        assert refused is None or refused.part
