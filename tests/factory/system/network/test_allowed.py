"""Which hosts `--net allow:` names, and which addresses they may lead to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.contract.errors import WorkorderError
from factory.system.network.allowed import Allowed, canonical_host, may_connect, parse_allowed


def test_hosts_are_read_with_and_without_ports() -> None:
    assert parse_allowed("allow:API.example.com., 10.0.0.5:8080,[::1]:9") == (
        Allowed("api.example.com", 443),
        Allowed("10.0.0.5", 8080),
        Allowed("::1", 9),
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*.example.com",
        "a b",
        "http://a.example",
        "a.example:0",
        "a.example:65536",
        "2130706433",
        "-a",
        "0x7f",
    ],
)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(WorkorderError, match="names no host"):
        parse_allowed(f"allow:{text}")


NAMED = parse_allowed("allow:api.example.com,10.0.0.5,localhost")


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "10.0.0.5", "127.0.0.1", "::1"]
)
def test_public_addresses_and_named_ones_are_connected_to(address: str) -> None:
    assert may_connect(address, NAMED)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254", "10.0.0.6", "192.168.1.1", "0.0.0.0", "100.64.0.1", "224.0.0.1", "fe80::1%eth0",
        "fd00::1", "::ffff:10.0.0.6", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::",
    ],
)  # fmt: skip
def test_a_name_leads_to_no_address_that_is_not_public(address: str) -> None:
    assert not may_connect(address, NAMED)


@given(st.text(max_size=80))
def test_a_host_has_one_form(text: str) -> None:
    host = canonical_host(text)

    assert host is None or canonical_host(host) == host
