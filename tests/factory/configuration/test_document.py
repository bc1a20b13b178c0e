"""The repository's own configuration: what it may hold, and how each mistake is told."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.attempt.exit_codes import ExitCode
from factory.configuration.committed import configuration_at
from factory.configuration.document import (
    BUILT_IN_CHECKS,
    MAX_BYTES,
    BadConfiguration,
    Configuration,
    ConfiguredCheck,
    ConfiguredPrice,
    read_configuration,
)
from factory.contract.repo_path import RepoPath
from factory.environments.environment import Environment
from factory.gates.checks.registry import registry
from factory.gates.trial import expanded
from factory.system.git.client import Git
from factory.system.sandbox.limit_option import parse_limits
from factory.system.sandbox.policy import Resources
from tests.support.answers import a_proposal
from tests.support.golden import assert_golden
from tests.support.repositories import VERIFY_PASSES, commit_files, git, make_repo, write_files
from tests.support.results import a_context
from tests.support.runs import Scene

WHOLE = b"""\
price = { input = 1.25, output = 10 }

[[checks]]
name = "lint"
command = "ruff check ."

[[checks]]
name = "types"
command = "mypy --strict 'my app'"
timeout_seconds = 90.5
gates = false
"""
READ = Configuration(
    price=ConfiguredPrice(input=Decimal("1.25"), output=Decimal(10)),
    checks=(
        ConfiguredCheck(name="lint", command="ruff check ."),
        ConfiguredCheck(
            name="types", command="mypy --strict 'my app'", timeout_seconds=Decimal("90.5"), gates=False
        ),
    ),
)

WRONG: dict[str, bytes] = {
    "a misspelt key": b'[[checks]]\nname = "a"\ncomand = "b"\n',
    "a misspelt table": b'[[check]]\nname = "a"\ncommand = "b"\n',
    "a misspelt price": b"price = { inputs = 1, output = 2 }\n",
    "a key like no other": b"gadgets = true\n",
    "nothing but a name": b'[[checks]]\nname = "a"\n',
    "a table for a list": b'[checks]\nname = "a"\ncommand = "b"\n',
    "text for a table": b'checks = ["ruff"]\n',
    "text for a price": b'price = "cheap"\n',
    "two of a name": b'checks = [{name="Lint", command="a"}, {name="lint", command="b"}]\n',
    "a built-in name": b'checks = [{name="pytest", command="a"}]\n',
    "a built-in name that not every work order runs": b'checks = [{name="Interfaces", command="a"}]\n',
    "a name that is a path": b'checks = [{name="../a", command="a"}]\n',
    "no command": b'checks = [{name="a", command=" "}]\n',
    "an open quotation": b'checks = [{name="a", command="b \'c"}]\n',
    "a list of commands": b'checks = [{name="a", command="b && c"}]\n',
    "two lines": b'checks = [{name="a", command="b\\nc"}]\n',
    "no limit": b'checks = [{name="a", command="b", timeout_seconds=0}]\n',
    "no number": b'checks = [{name="a", command="b", timeout_seconds=nan}]\n',
    "a truth value for a number": b'checks = [{name="a", command="b", timeout_seconds=true}]\n',
    "text for a truth value": b'checks = [{name="a", command="b", gates="no"}]\n',
    "a price below 0": b"price = { input = -1, output = inf }\n",
    "a misspelt package's key": b'[environment]\npython_version = "3.12"\n',
    "a package without a list": b'[environment]\npython = "fastapi"\n',
    "an option for a package": b'[environment]\npython = ["--index-url https://example.org"]\n',
    "a place for a package": b'[environment]\npython = ["a @ git+https://example.org/a"]\n',
    "a whole version": b'[environment]\npython-version = "3.12.1"\n',
    "a path for a range": b'[environment]\nnode = { zod = "file:../zod" }\n',
    "a path for a name": b'[environment]\nnode = { "../zod" = "^4" }\n',
    "a path for a range of development": b'[environment]\nnode-dev = { zod = "file:../zod" }\n',
    "a package for both": b'[environment]\nnode = { zod = "^4" }\nnode-dev = { zod = "^4" }\n',
    "several at once": b'chekcs = 1\nprice = { input = "1" }\n',
    "a number too long": b"a = " + b"9" * 5_000 + b"\n",
    "too deep": b"a = " + b"[" * 50_000 + b"\n",
    "no UTF-8": b'a = 1\nb = "\xff"\n',
    "too large": b"#" * (MAX_BYTES + 1),
}


def message_of(workorder_toml: bytes | None, pyproject_toml: bytes | None = None) -> str:
    with pytest.raises(BadConfiguration) as caught:
        read_configuration(workorder_toml, pyproject_toml)
    return str(caught.value)


def in_project(data: bytes) -> bytes:
    return b'[project]\nname = "x"\n[tool.workorder]\n' + data.replace(
        b"[[checks]]", b"[[tool.workorder.checks]]"
    )


def test_both_places_hold_the_same() -> None:
    assert read_configuration(WHOLE, None) == READ
    assert read_configuration(None, in_project(WHOLE)) == READ
    assert read_configuration(WHOLE, b"[tool.other]\n# workorder\n") == READ


@pytest.mark.parametrize(
    "project", [None, b"", b"[tool]\n", b"this is no TOML\n", b'[project]\nname = "workorder"\n']
)
def test_without_a_configuration_there_is_none(project: bytes | None) -> None:
    assert read_configuration(None, project) == Configuration()


def test_an_empty_file_configures_nothing() -> None:
    assert read_configuration(b"", None) == Configuration()


def test_every_mistake_is_told_with_its_place() -> None:
    both = message_of(b"", b"[tool.workorder]\n")
    own = [f"{name}:\n{message_of(data)}\n" for name, data in WRONG.items()]
    project = message_of(None, in_project(b'checks = [{name="a", command="b", gate=true}]\n'))
    assert_golden(
        "configuration_errors.txt",
        "\n".join([*own, f"both:\n{both}\n", f"in pyproject.toml:\n{project}\n"]),
    )


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'[[checks]]\nname = "a"\ncommand = \n', "workorder.toml:3:11"),
        (b'[[checks]]\nname = "a', "workorder.toml:2:10"),
        (b"a = 1\na = 2\n", "workorder.toml:2:6"),
    ],
)
def test_what_is_no_toml_is_told_with_line_and_column(data: bytes, place: str) -> None:
    # What the parser says about it differs between versions of Python.
    assert message_of(data).startswith(f"{place}: not valid TOML: ")
    assert message_of(None, data + b"#workorder").startswith("pyproject.toml:")


def test_the_built_in_names_are_those_of_the_registry(tmp_path: Path) -> None:
    python = tmp_path / "python"
    environment = Environment("0" * 64, python, (python.parent,), ("python 3.11.2",))
    parts = registry(Configuration(), interfaces=True, environment=environment)

    context = a_context(tmp_path)
    names = [check.name for part in parts for check in expanded(part.checks, context)]
    assert names == list(BUILT_IN_CHECKS)


@given(st.binary(max_size=200) | st.text(alphabet="[]{}=\"'.,checks\n 0x", max_size=60).map(str.encode))
def test_any_bytes_end_in_a_configuration_or_an_error(data: bytes) -> None:
    for own, project in ((data, None), (None, b"#workorder\n" + data)):
        try:
            read_configuration(own, project)
        except BadConfiguration as error:
            assert error.where.startswith(("workorder.toml", "pyproject.toml"))


# From a commit


def test_the_commit_counts_and_not_the_files(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"workorder.toml": WHOLE, "pyproject.toml": b"[project]\n"})
    first = git(repo, "rev-parse", "HEAD")
    second = commit_files(repo, {"workorder.toml": b""})
    write_files(repo, {"workorder.toml": b"broken"})

    assert configuration_at(Git.open(repo), first) == READ
    assert configuration_at(Git.open(repo), second) == Configuration()


def test_a_commit_without_files_configures_nothing(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"sub/workorder.toml": WHOLE})

    assert configuration_at(Git.open(repo), "HEAD") == Configuration()


def test_a_link_is_followed_inside_the_commit_only(tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_bytes(WHOLE)
    repo = make_repo(tmp_path / "repo", {"config/own.toml": WHOLE})
    (repo / "workorder.toml").symlink_to("config/own.toml")
    inside = commit_files(repo, {})
    (repo / "workorder.toml").unlink()
    (repo / "workorder.toml").symlink_to("../secret.toml")
    outside = commit_files(repo, {})

    assert configuration_at(Git.open(repo), inside) == READ
    with pytest.raises(BadConfiguration, match=r"workorder\.toml: is a symbolic link that leads to no file"):
        configuration_at(Git.open(repo), outside)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"workorder.toml/a": "x"}, "workorder.toml: is not a file"),
        ({"workorder.toml": b"#" * (MAX_BYTES + 1)}, "workorder.toml: has 1,000,001 bytes"),
    ],
)
def test_what_cannot_be_read_is_told(files: dict[str, str | bytes], message: str, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", files)

    with pytest.raises(BadConfiguration) as caught:
        configuration_at(Git.open(repo), "HEAD")

    assert str(caught.value).startswith(message)


# In a run

REFUSES = b"checks = [{name='lint', command='python lint.py'}]\n"
# The base, which has no such file, passes.
LINT = """\
import os
raise SystemExit(os.path.exists('src/app.py') and 'bad' in open('src/app.py').read())
"""


def test_a_configured_check_judges_attempts(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "workorder.toml": REFUSES, "lint.py": LINT})
    scene = Scene(repo, [a_proposal({"src/app.py": "bad\n"}), a_proposal()])

    finished = scene.run()

    assert finished.ending.exit_code == ExitCode.PASS
    assert [tried.passed for tried in finished.ending.attempts] == [False, True]
    assert finished.folder is not None
    prompt = (finished.folder / "attempt_1" / "se_prompt.txt").read_text()
    assert "Then these commands of the repository:" in prompt
    assert "\npython lint.py\n" in prompt


def test_a_model_cannot_switch_the_checks_off(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {**VERIFY_PASSES, "workorder.toml": REFUSES, "lint.py": LINT})
    proposal = a_proposal({"src/app.py": "bad\n", "workorder.toml": ""}, bases={"workorder.toml": REFUSES})
    scene = Scene(repo, [proposal], allowed_files=["src/app.py", "workorder.toml"])

    # Although a person accepted what comes after this work order
    accepted = (RepoPath("workorder.toml"),)
    finished = scene.run(max_attempts=1, accepted_configuration=accepted)

    assert finished.ending.exit_code == ExitCode.FAIL
    assert finished.ending.failure is not None
    assert finished.ending.failure.where == "python lint.py"


def test_a_bad_configuration_is_refused_before_a_model_is_asked(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo", {**VERIFY_PASSES, "workorder.toml": b"cheks = []\n"}))

    finished = scene.run()

    assert (finished.ending.exit_code, scene.asked) == (ExitCode.REFUSED, 0)
    assert "(did you mean `checks`?)" in finished.ending.message


def test_limits_are_read_as_the_command_line_writes_them() -> None:
    limits = read_configuration(b'limits = { mem = "128M", procs = 64 }', None).limits

    assert parse_limits(limits) == Resources(memory_bytes=128 * 2**20, processes=64)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b'limits = { memory = "1G" }', "'memory' is no limit: the limits are mem,"),
        (b'limits = { mem = "much" }', "'much' is no value for mem: such as mem=2G"),
        (b'limits = "mem=1G"', "must be a table"),
    ],
)
def test_a_limit_that_is_none_is_told(text: bytes, problem: str) -> None:
    with pytest.raises(BadConfiguration, match=re.escape(problem)) as caught:
        read_configuration(text, None)

    assert "workorder.toml" in str(caught.value)


def test_further_directories_of_the_sandbox_are_read() -> None:
    configuration = read_configuration(b'[sandbox]\nread = ["/opt/models", "/data/sets"]', None)

    assert configuration.sandbox.read == ("/opt/models", "/data/sets")


@pytest.mark.parametrize(
    "path", ["models", "./models", "/opt/../etc", "/opt/./models", "~/models", "", "/opt/\x1b[31m"]
)
def test_a_further_directory_is_named_from_the_root_on(path: str) -> None:
    text = f"[sandbox]\nread = [{json.dumps(path)}]"

    with pytest.raises(BadConfiguration, match=re.escape("sandbox.read[0]: must be an absolute path")):
        read_configuration(text.encode(), None)


@pytest.mark.parametrize(
    ("projects", "said"),
    [
        ('["web", "web/client"]', "projects[1]: `web/client` and `web` lie within one another"),
        ('["web", "Web"]', "projects[1]: `Web` is projects[0], too"),
        ('["../web"]', "projects[0]: the path holds .."),
        ('["/web"]', "projects[0]: the path is absolute"),
    ],
)
def test_projects_are_directories_beside_one_another(projects: str, said: str) -> None:
    with pytest.raises(BadConfiguration) as refused:
        read_configuration(f"projects = {projects}".encode(), None)
    assert said in refused.value.message
