"""Which places a command is shown: what it needs to run, and never a home."""

import os
import sys
from pathlib import Path

import pytest

from factory.system.sandbox.visible import environments_in, needed


def shown(path: str, own: dict[str, str] | None = None, **variables: str) -> tuple[Path, ...]:
    return needed({"PATH": path, **variables}, own or {})


def test_the_interpreter_and_the_directories_of_programs_are_shown(tmp_path: Path) -> None:
    programs = tmp_path / "tools/bin"
    programs.mkdir(parents=True)

    places = shown(f"{programs}:/usr/bin")

    assert Path(sys.base_prefix) in places
    assert programs in places
    assert programs.parent not in places


def test_an_environment_is_shown_with_what_it_was_made_from(tmp_path: Path) -> None:
    base = tmp_path / "python-3.12"
    environment = tmp_path / "env"
    (base / "bin").mkdir(parents=True)
    (environment / "bin").mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text(f"home = {base}/bin\nversion = 3.12\n")

    places = shown(f"{environment}/bin")

    assert {environment, base} <= set(places)


def test_an_installation_is_shown_whole_and_nothing_that_only_looks_like_one(tmp_path: Path) -> None:
    for prefix in ("node-20", "local"):
        (tmp_path / prefix / "bin").mkdir(parents=True)
        (tmp_path / prefix / "bin/node").write_text("#!/bin/sh\n")
        (tmp_path / prefix / "bin/node").chmod(0o755)
    (tmp_path / "node-20/include/node").mkdir(parents=True)

    assert tmp_path / "node-20" in shown(str(tmp_path / "node-20/bin"))
    assert tmp_path / "local" not in shown(str(tmp_path / "local/bin"))


def test_a_toolchain_of_rust_is_shown_with_its_libraries(tmp_path: Path) -> None:
    for prefix in ("stable", "local"):
        (tmp_path / prefix / "bin").mkdir(parents=True)
        (tmp_path / prefix / "bin/cargo").write_text("#!/bin/sh\n")
        (tmp_path / prefix / "bin/cargo").chmod(0o755)
    (tmp_path / "stable/lib/rustlib").mkdir(parents=True)

    assert tmp_path / "stable" in shown(str(tmp_path / "stable/bin"))
    assert tmp_path / "local" not in shown(str(tmp_path / "local/bin"))


def test_no_home_is_shown_whatever_the_variables_say(tmp_path: Path) -> None:
    home = tmp_path / "people/ada"
    (home / "bin").mkdir(parents=True)
    (tmp_path / "link").symlink_to(home)
    own = {"HOME": str(home)}
    path = f"{home}:{tmp_path}/people:{tmp_path}/link:{home}/bin:/:/etc:/proc/self:relative:{home}/bin/.."

    places = shown(path, own, VIRTUAL_ENV=str(home), LD_LIBRARY_PATH=str(tmp_path))

    assert home / "bin" in places
    assert not any(home.is_relative_to(place.resolve()) for place in places)
    assert not {Path("/"), Path("/etc"), Path("/proc/self"), Path("relative")} & set(places)


def test_of_what_is_installed_in_a_home_no_data_is_shown(tmp_path: Path) -> None:
    home = tmp_path / "ada"
    local = home / ".local"
    for name in ("bin", "lib/python3.12", "include/python3.12", "share/keyrings"):
        (local / name).mkdir(parents=True)
    for name in ("python", "python3"):
        (local / "bin" / name).write_text("#!/bin/sh\n")
        (local / "bin" / name).chmod(0o755)
    environment = tmp_path / "env"
    (environment / "bin").mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text(f"home = {local}/bin\n")

    places = shown(f"{environment}/bin:{local}/bin", {"HOME": str(home)})

    assert {local / "bin", local / "lib", local / "include", environment} <= set(places)
    assert not any((local / "share").is_relative_to(place) for place in places)


def test_what_is_missing_or_closed_is_left_out(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "bin").mkdir(parents=True)
    closed.chmod(0)
    try:
        places = shown(f"{tmp_path}/missing:{closed}/bin")
    finally:
        closed.chmod(0o700)

    assert tmp_path / "missing" not in places
    if os.geteuid() != 0:
        assert closed / "bin" not in places


def test_environments_of_a_directory_are_found_and_links_are_none(tmp_path: Path) -> None:
    for name in (".venv", "env", "src"):
        (tmp_path / name).mkdir()
    for name in (".venv", "env"):
        (tmp_path / name / "pyvenv.cfg").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "env")

    assert environments_in(tmp_path) == (tmp_path / ".venv", tmp_path / "env")


@pytest.mark.skipif(os.geteuid() == 0, reason="no directory is closed to root")
def test_a_closed_directory_on_the_path_is_no_error(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "bin").mkdir(parents=True)
    closed.chmod(0)
    try:
        assert closed / "bin" not in shown(f"{closed}/bin:{closed}")
    finally:
        closed.chmod(0o700)
