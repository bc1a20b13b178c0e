"""What options are that are not given: which word counts, and which is refused."""

from pathlib import Path

import pytest

from factory.configuration.defaults import Default, defaults, variable
from factory.configuration.document import BadConfiguration
from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Parser, positive, with_defaults


@pytest.fixture
def yours(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def write(folder: Path, text: str) -> Path:
    (folder / "workorder.toml").write_text(f"[defaults]\n{text}\n")
    return folder


def test_a_variable_counts_more_than_the_repository_and_that_more_than_the_user(
    tmp_path: Path, yours: Path
) -> None:
    write(tmp_path, "jobs = 3\nmax-cost-usd = 2.50")
    yours.write_text("[defaults]\njobs = 4\nmax-cost-usd = 9\nsandbox = 'bwrap'\n")
    environment = {"WORKORDER_JOBS": "2", "WORKORDER_SANDBOX": ""}
    file = str(tmp_path / "workorder.toml")
    assert defaults(environment, tmp_path, yours) == (
        Default("jobs", "2", "WORKORDER_JOBS"),
        Default("max-cost-usd", "2.50", file),
        Default("sandbox", "bwrap", str(yours)),
    )


def test_without_anything_nothing_is_said(tmp_path: Path, yours: Path) -> None:
    assert defaults({}, None, yours) == ()
    assert defaults({}, tmp_path, tmp_path / "workorder.toml" / "none") == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("llm = 'command:rm -rf x'", "names no `command:`"),
        ("llm = 'replay:/x'", "names no `replay:`"),
        ("sandbox = 'none'", "sandbox"),
        ("jobs = 0", "jobs"),
        ("api_key = 'secret'", "api_key"),
        ("llm = ''", "llm"),
    ],
)
def test_a_repository_decides_nothing_that_is_the_user_s(
    tmp_path: Path, yours: Path, text: str, complaint: str
) -> None:
    with pytest.raises(BadConfiguration, match=complaint):
        defaults({}, write(tmp_path, text), yours)


def test_the_user_s_file_holds_no_checks(yours: Path) -> None:
    yours.write_text("[[checks]]\nname = 'a'\ncommand = 'b'\n")
    with pytest.raises(BadConfiguration, match=r"more than the table \[defaults\]"):
        defaults({}, None, yours)


@pytest.mark.parametrize(("name", "value"), [("jobs", "0"), ("max-tokens", "1e3"), ("sandbox", "none")])
def test_a_variable_that_can_t_be_says_which(yours: Path, name: str, value: str) -> None:
    with pytest.raises(WorkorderError) as refused:
        defaults({variable(name): value}, None, yours)
    assert refused.value.where == variable(name)


def test_a_default_is_read_as_an_argument_is_and_gives_way_to_one() -> None:
    parser = Parser()
    command = parser.add_subparsers(dest="command").add_parser("build")
    command.add_argument("--jobs", type=positive, default=1)
    command.add_argument("--out", type=Path, required=True)
    with_defaults(parser, {"jobs": "3", "out": "a", "other": "b"})
    options = parser.parse_args(["build"])
    assert (options.jobs, options.out) == (3, Path("a"))
    assert parser.parse_args(["build", "--jobs", "5"]).jobs == 5
