"""PostgreSQL and Redis beside commands, where they are installed: ready, and empty in each pass."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from factory.checkout.pool import checkout
from factory.contract.errors import MachineProblem
from factory.contract.services.declared import Preset, Service
from factory.gates.bench import Executor
from factory.gates.environment import gate_environment
from factory.repository.target import target
from factory.services.presets import RECIPES
from factory.services.resolution import installed_programs, resolve
from factory.services.templates import prepared
from factory.system.git.client import Git
from factory.system.sandbox.levels.choose import levels
from factory.system.sandbox.port import Sandbox, Terms
from tests.support.environments import bare
from tests.support.repositories import make_repo

# The protocols by hand: no driver is needed.
QUERY = """
import os, socket, struct, sys
from urllib.parse import urlsplit
url = urlsplit(os.environ["DATABASE_URL"])
with socket.create_connection((url.hostname, url.port)) as server:
    words = b"user\\0" + url.username.encode() + b"\\0database\\0" + url.path[1:].encode() + b"\\0\\0"
    server.sendall(struct.pack("!II", 8 + len(words), 196608) + words)
    stream = server.makefile("rb")
    def replies():
        while True:
            kind, size = struct.unpack("!cI", stream.read(5))
            body = stream.read(size - 4)
            if kind == b"D":
                length = struct.unpack("!I", body[2:6])[0]
                print(body[6:6 + length].decode())
            if kind == b"E":
                print(body.replace(b"\\0", b" ").decode())
            if kind == b"Z":
                return
    replies()
    for query in sys.argv[1:]:
        server.sendall(b"Q" + struct.pack("!I", 5 + len(query.encode())) + query.encode() + b"\\0")
        replies()
    server.sendall(b"X" + struct.pack("!I", 4))
"""
INCREMENT = """
import os, socket
from urllib.parse import urlsplit
url = urlsplit(os.environ["REDIS_URL"])
with socket.create_connection((url.hostname, url.port)) as server:
    server.sendall(b"INCR count\\r\\n")
    print(server.recv(100).decode().strip())
"""
MAKE = "create table if not exists things (name text)"
ADD = "insert into things values ('a thing')"
COUNT = "select count(*) from things"


def require(preset: Preset) -> None:
    if installed_programs(RECIPES[preset], os.environ) is None:
        pytest.skip(f"{preset} is not installed")


@pytest.fixture
def sandbox() -> Sandbox:
    for level in levels(os.environ):
        if level.name == "bwrap" and level.sandbox is not None:
            return level.sandbox
    pytest.skip("bubblewrap does not work here")


@pytest.fixture
def executor(tmp_path: Path, sandbox: Sandbox) -> Iterator[Executor]:
    """An executor in bubblewrap, without services, with the limits that users have."""
    goal = target(Git.open(make_repo(tmp_path / "repo", {"README.md": "a product\n"})), None)
    with checkout(goal, in_place=False, sandbox=sandbox) as opened:
        opened.stage([])
        environment = gate_environment(os.environ, bare(), home=opened.home, temporary=opened.temporary)
        yield Executor(opened, bare(), environment, 60.0, tmp_path, terms=Terms(sandbox))


def test_postgres_keeps_its_data_for_a_pass_and_every_pass_begins_with_none(executor: Executor) -> None:
    require("postgres")
    services = resolve((Service(preset="postgres"),), (), executor.terms, os.environ)
    git = executor.checkout.git

    def asked(*queries: str) -> str:
        result = served("sql", "…", ("python3", "-c", QUERY, *queries))
        assert result.unready is None, result.unready
        assert (result.exit_code, result.services[0].died) == (0, ""), result.excerpt
        return result.excerpt.strip()

    with prepared(services, git, executor.terms, os.environ) as ready:
        served = replace(executor, services=ready)
        template = Path(ready.all[0].ordered.template)
        assert (template / "PG_VERSION").exists()
        assert asked(MAKE, ADD, COUNT) == "1"
        assert asked(ADD, COUNT) == "2"
        executor.checkout.restore()
        assert "does not exist" in asked(COUNT)
        # The next begins whole, also after one that left no time for a proper end.
        result = replace(served, timeout_seconds=3.0)("sql", "…", ("sleep", "60"))
        assert result.timed_out
        assert asked(MAKE, ADD, COUNT) == "1"
        # Nobody but us could write to what all begin with.
        written = served("w", "…", ("python3", "-c", f"open({str(template / 'PG_VERSION')!r}, 'a')"))
        assert written.exit_code == 1
    assert not template.exists()


def test_redis_keeps_its_data_for_a_pass(executor: Executor) -> None:
    require("redis")
    services = resolve((Service(preset="redis"),), (), executor.terms, os.environ)
    served = replace(executor, services=services)

    def asked() -> str:
        result = served("redis", "…", ("python3", "-c", INCREMENT))
        assert result.unready is None, result.unready
        return result.excerpt.strip()

    assert [asked(), asked()] == [":1", ":2"]
    executor.checkout.restore()
    assert asked() == ":1"


def test_both_start_beside_each_other_within_the_limits_of_users(executor: Executor) -> None:
    require("postgres")
    require("redis")
    declared = (Service(preset="postgres"), Service(preset="redis"))
    services = resolve(declared, (), executor.terms, os.environ)
    with prepared(services, executor.checkout.git, executor.terms, os.environ) as ready:
        began = time.monotonic()
        program = f"import sys; sys.argv[1:] = ['select 7']\n{QUERY}\n{INCREMENT}"
        result = replace(executor, services=ready)("both", "…", ("python3", "-c", program))

    assert result.excerpt.split() == ["7", ":1"]
    assert [service.name for service in result.services] == ["postgres", "redis"]
    assert time.monotonic() - began < 30


def test_a_preset_whose_program_is_missing_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(MachineProblem) as caught:
        resolve((Service(preset="redis"),), (), None, {"PATH": str(tmp_path)})

    assert "redis-server" in caught.value.message
    assert "apt-get install redis-server" in caught.value.hint
