"""Environments of child processes: an allow-list, so that what is on it is the whole truth."""

from factory.system.process.environment import git_environment, program_environment
from tests.support.leaks import OWN, USUAL


def test_a_model_program_sees_the_user_s_home_and_proxies_but_no_secret() -> None:
    environment = program_environment({**OWN, **USUAL, "PATH": "/usr/bin", "LC_TIME": "C"})

    assert environment["HOME"] == "/home/ada"
    assert environment["LC_TIME"] == "C"
    assert {name for name in environment if name in OWN} == {"XDG_CONFIG_HOME", "HTTP_PROXY"}


def test_a_model_program_sees_the_keys_that_the_user_names() -> None:
    named = program_environment({**OWN, "WORKORDER_COMMAND_ENV": "OPENAI_API_KEY, NOT_SET,,GITHUB_TOKEN"})

    assert {name for name in named if "KEY" in name or "TOKEN" in name} == {"OPENAI_API_KEY", "GITHUB_TOKEN"}


def test_git_sees_the_user_s_identity_and_nothing_that_redirects_it() -> None:
    environment = git_environment({**OWN, **USUAL, "GIT_AUTHOR_NAME": "Ada", "PATH": "/usr/bin"})

    assert environment["GIT_AUTHOR_NAME"] == "Ada"
    assert {name for name in environment if name in OWN} == {"XDG_CONFIG_HOME"}


def test_git_is_configured_as_the_ci_service_says() -> None:
    said = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "GIT_CONFIG_KEY_1": "beyond.the",
        "GIT_CONFIG_VALUE_1": "count",
    }

    environment = git_environment(said)

    assert {name: value for name, value in environment.items() if name.startswith("GIT_CONFIG_")} == {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }


def test_a_count_that_is_none_is_left_out_with_what_it_counts() -> None:
    environment = git_environment({"GIT_CONFIG_COUNT": "many", "GIT_CONFIG_KEY_0": "a.b"})

    assert not [name for name in environment if name.startswith("GIT_CONFIG_")]
