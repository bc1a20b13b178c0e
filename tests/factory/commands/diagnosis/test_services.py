"""What doctor tells of the services that a repository configures."""

import os
from pathlib import Path

import pytest

from factory.commands.diagnosis.services import services_here
from factory.services.presets import RECIPES
from factory.services.resolution import installed_programs
from tests.support.repositories import make_repo

POSTGRES = '[[services]]\npreset = "postgres"\n'
OWN = '[[services]]\nname = "own"\ncommand = "serve {port}"\n'


def a_repo(folder: Path, configuration: str) -> Path:
    return make_repo(folder / "repo", {"workorder.toml": configuration})


def test_a_service_whose_programs_are_there_is_told_with_its_version(tmp_path: Path) -> None:
    if installed_programs(RECIPES["postgres"], os.environ) is None:
        pytest.skip("postgres is not installed")

    preset, own = services_here(a_repo(tmp_path, POSTGRES + OWN), os.environ, "bwrap")

    assert (preset.name, preset.state) == ("service postgres", "ok")
    assert preset.found.startswith("postgres (PostgreSQL) ")
    assert (own.state, own.found) == ("ok", "started by `serve {port}`")


def test_a_service_whose_program_is_missing_refuses_a_run_and_says_what_to_install(tmp_path: Path) -> None:
    repo = a_repo(tmp_path, '[[services]]\npreset = "redis"\n')

    (found,) = services_here(repo, {**os.environ, "PATH": str(tmp_path)}, "bwrap")

    assert (found.state, found.fix[-1]) == ("error", "apt-get install redis-server")


def test_landlock_has_no_place_for_services(tmp_path: Path) -> None:
    (found,) = services_here(a_repo(tmp_path, OWN), os.environ, "landlock")

    assert found.state == "error"


def test_what_can_not_be_read_is_told_and_what_is_no_repository_configures_nothing(tmp_path: Path) -> None:
    (found,) = services_here(a_repo(tmp_path, "[[services]]\n"), os.environ, "bwrap")

    assert (found.name, found.state) == ("configuration", "error")
    assert services_here(tmp_path / "nowhere", os.environ, "bwrap") == ()
    assert services_here(None, os.environ, "bwrap") == ()
