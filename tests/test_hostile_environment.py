"""The environment of the tests is what it is meant to be."""

import os
import socket
import tempfile
from pathlib import Path

import pytest

from tests.support.repositories import git, make_repo


def test_nothing_of_whoever_runs_the_tests_is_visible(tmp_path: Path) -> None:
    assert not Path.home().exists()
    assert not [name for name in os.environ if name.startswith(("OPENAI_", "ANTHROPIC_", "GIT_AUTHOR"))]
    names = git(make_repo(tmp_path / "repo"), "config", "--list", "--show-origin", "--name-only").splitlines()
    assert {line.split("\t")[0] for line in names} == {"file:.git/config"}


def test_temporary_files_are_this_tests_own(temporary_files: Path) -> None:
    with tempfile.NamedTemporaryFile() as file:
        assert Path(file.name).parent == temporary_files


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1"])
def test_connections_stay_on_this_machine(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as outgoing, pytest.raises(PermissionError, match="to this machine only"):
        outgoing.connect((address, 80))

    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
