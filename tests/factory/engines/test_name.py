"""What `--engine` and `--engine-remote` name, and which addresses are private enough."""

import pytest

from factory.contract.errors import Fault, WorkorderError
from factory.engines.name import EngineName, EngineProblem, parse_engine, parse_remote, require_private


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("local", EngineName("local")),
        ("dask:local:3", EngineName("processes", processes=3)),
        ("dask:tls://host:8786", EngineName("address", "tls://host:8786")),
        ("dask:tcp://127.0.0.1:1", EngineName("address", "tcp://127.0.0.1:1")),
        ("dask:some/where.json", EngineName("file", "some/where.json")),
    ],
)
def test_an_engine_is_named(text: str, engine: EngineName) -> None:
    assert parse_engine(text) == engine


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dask",
        "dask:",
        "ray:x",
        "dask:local:",
        "dask:local:0",
        "dask:local:x",
        "dask:http://a:1",
        "dask:tcp://a",
    ],
)
def test_what_names_none_is_refused(text: str) -> None:
    with pytest.raises(WorkorderError) as refused:
        parse_engine(text)
    assert refused.value.hint


@pytest.mark.parametrize(
    "address", ["tls://10.0.0.1:1", "tcp://127.0.0.1:1", "tcp://localhost:1", "tcp://[::1]:1"]
)
def test_what_is_encrypted_or_stays_here_is_private(address: str) -> None:
    require_private(address, insecure=False)


@pytest.mark.parametrize(
    "address", ["tcp://10.0.0.1:1", "tcp://build.example:1", "tcp://nonsense", "ws://10.0.0.1:1"]
)
def test_anything_else_has_to_be_said(address: str) -> None:
    with pytest.raises(EngineProblem) as refused:
        require_private(address, insecure=False)
    assert refused.value.fault is Fault.ENVIRONMENT
    require_private(address, insecure=True)


@pytest.mark.parametrize("text", ["https://h/r.git", "ssh://git@h:22/r", "file:///srv/r.git"])
def test_a_remote_is_named(text: str) -> None:
    assert parse_remote(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "origin",
        "/srv/r.git",
        "http://h/r",
        "git@h:r",
        "ext::sh -c true",
        "ssh://-oProxyCommand=x/r",
        "https:///r",
        "file://h/r",
        "https://h/r\n",
        "https://[h/r",
    ],
)
def test_what_workers_could_not_reach_alike_is_refused(text: str) -> None:
    with pytest.raises(WorkorderError) as refused:
        parse_remote(text)
    assert refused.value.hint


@pytest.mark.parametrize("text", ["https://u:hush@h/r", "https://hush@h/r", "ssh://git:hush@h/r"])
def test_what_gives_access_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(WorkorderError) as refused:
        parse_remote(text)
    assert "hush" not in f"{refused.value} {refused.value.where} {refused.value.hint}"
