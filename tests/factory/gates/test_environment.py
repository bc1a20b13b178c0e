"""The environment of the commands that judge: an allow-list, so that what is on it is the whole truth."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from factory.contract.errors import WorkorderError
from factory.gates.environment import gate_environment
from tests.support.environments import bare
from tests.support.leaks import OWN, USUAL


def gates(tmp_path: Path, *passed: str, **own: str) -> dict[str, str]:
    return gate_environment(
        {**OWN, **USUAL, "PATH": "/usr/bin:/bin", **own},
        bare(),
        home=tmp_path / "home",
        temporary=tmp_path / "tmp",
        passed=passed,
    )


def test_gates_see_these_variables_and_no_other(tmp_path: Path) -> None:
    assert sorted(gates(tmp_path)) == [
        "COLUMNS",
        "GIT_CEILING_DIRECTORIES",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_TERMINAL_PROMPT",
        "HOME",
        "LANG",
        "LC_ALL",
        "LOGNAME",
        "NO_COLOR",
        "NPM_CONFIG_UPDATE_NOTIFIER",
        "PATH",
        "PIP_DISABLE_PIP_VERSION_CHECK",
        "PIP_NO_INPUT",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONHASHSEED",
        "PYTHONNOUSERSITE",
        "PYTHONUNBUFFERED",
        "TERM",
        "TMPDIR",
        "TZ",
        "USER",
    ]


def test_gates_see_nothing_of_the_user_s_values_but_the_path(tmp_path: Path) -> None:
    environment = gates(tmp_path)

    assert "leaked" not in str(environment)
    assert "ada" not in str(environment)
    assert {"/usr/bin", "/bin"} <= set(environment["PATH"].split(":"))


def test_the_programs_of_the_environment_come_first(tmp_path: Path) -> None:
    path = gates(tmp_path, PATH="/opt/bin:/usr/bin")["PATH"]

    assert path.split(":") == [*map(str, bare().programs), "/opt/bin", "/usr/bin"]
    for name in ("python", "python3", "pytest"):
        assert shutil.which(name, path=path) == str(bare().programs[0] / name)


def test_neither_the_active_virtual_environment_nor_workorders_own_is_searched(tmp_path: Path) -> None:
    own = str(Path(sys.executable).parent)
    (tmp_path / "link").symlink_to(own)

    path = gates(
        tmp_path,
        VIRTUAL_ENV="/home/ada/.venv",
        PATH=f"/home/ada/.venv/bin:{own}:/opt/bin:{own}/:{tmp_path}/link:/home/ada/.venv/bin/",
    )["PATH"]

    assert path.split(":")[1:] == ["/opt/bin"]


def test_where_tools_find_packages_is_said_by_variables(tmp_path: Path) -> None:
    environment = replace(bare(), variables={"GOMODCACHE": "/kept/go"})

    variables = gate_environment(
        {"GOMODCACHE": "/home/ada/go"}, environment, home=tmp_path / "home", temporary=tmp_path / "tmp"
    )

    assert variables["GOMODCACHE"] == "/kept/go"


@pytest.mark.parametrize("path", ["", ".", "bin:/usr/bin", ":/usr/bin:", "/usr/bin:.:./node_modules/.bin"])
def test_the_path_of_gates_never_leads_into_the_checkout(path: str, tmp_path: Path) -> None:
    entries = gates(tmp_path, PATH=path, VIRTUAL_ENV=path)["PATH"].split(":")

    assert all(entry.startswith("/") for entry in entries)


@pytest.mark.parametrize(
    ("places", "kept"),
    [
        (":/opt/lib", "/opt/lib"),
        ("/opt/lib:", "/opt/lib"),
        ("/opt/lib;/usr/lib;", "/opt/lib:/usr/lib"),
        ("lib:./lib:/opt/lib", "/opt/lib"),
        ("", None),
        (".", None),
    ],
)
def test_libraries_of_gates_are_never_looked_for_in_the_checkout(
    places: str, kept: str | None, tmp_path: Path
) -> None:
    assert gates(tmp_path, LD_LIBRARY_PATH=places).get("LD_LIBRARY_PATH") == kept
    assert gates(tmp_path, "LD_LIBRARY_PATH", LD_LIBRARY_PATH=places).get("LD_LIBRARY_PATH") == kept


def test_a_variable_that_the_user_names_is_passed(tmp_path: Path) -> None:
    environment = gates(tmp_path, "FEATURE", "NOT_SET", FEATURE="on")

    assert environment["FEATURE"] == "on"
    assert "NOT_SET" not in environment


def test_what_makes_gates_the_same_everywhere_cannot_be_overridden(tmp_path: Path) -> None:
    environment = gates(tmp_path, "HOME", "PYTHONHASHSEED", "TZ", PYTHONHASHSEED="7", TZ="Asia/Tokyo")

    assert (environment["HOME"], environment["PYTHONHASHSEED"], environment["TZ"]) == (
        str(tmp_path / "home"),
        "0",
        "UTC",
    )


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY", "openai_api_key", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GITHUB_TOKEN",
        "DB_PASSWORD", "DB_PASS", "PGPASSFILE", "MYSQL_PWD", "SSH_AUTH_SOCK", "SESSION_COOKIE",
        "GOOGLE_APPLICATION_CREDENTIALS", "PRIVATE_KEY_PATH",
    ],
)  # fmt: skip
def test_a_name_that_looks_like_a_secret_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(WorkorderError, match=f"{name} looks like a secret"):
        gates(tmp_path, name)


@pytest.mark.parametrize("name", ["GIT_AUTHOR_NAME", "DJANGO_SETTINGS_MODULE", "MODE", "PWD_LENGTH"])
def test_a_name_that_only_resembles_one_is_passed(name: str, tmp_path: Path) -> None:
    assert gates(tmp_path, name, **{name: "value"})[name] == "value"


def test_a_harmless_name_with_the_value_of_a_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkorderError, match="MODE looks like a secret"):
        gates(tmp_path, "MODE", MODE="sk-1234567890", OPENAI_API_KEY="sk-1234567890")


@pytest.mark.parametrize("name", ["MODE=on", "", "A B", "1ST", "A-B", "*"])
def test_what_is_no_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(WorkorderError, match="is not the name of a variable"):
        gates(tmp_path, name)
