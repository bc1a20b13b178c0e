"""Who may ask the server."""

from factory.commands.serving.guard import Guard

GUARD = Guard(8123)
HOST = {"host": "127.0.0.1:8123"}


def test_only_loopback_names_with_its_port_are_its_own() -> None:
    assert GUARD.knows_host(HOST)
    assert GUARD.knows_host({"host": "localhost:8123"})
    for name in (
        "",
        "127.0.0.1",
        "127.0.0.1:80",
        "evil.example:8123",
        "127.0.0.1.evil.example:8123",
        "[::1]:8123",
    ):
        assert not GUARD.knows_host({"host": name}), name


def test_the_token_is_known_in_the_address_and_in_the_cookie() -> None:
    pair = GUARD.cookie.partition(";")[0]
    assert GUARD.is_named(f"token={GUARD.token}")
    assert GUARD.is_known({"cookie": f"other=1; {pair}"})
    for cookie in (
        "",
        "workorder-8123=",
        "workorder-8123=é",
        pair.replace("8123", "8124"),
        f"{pair}x",
        "\x00",
    ):
        assert not GUARD.is_known({"cookie": cookie}), cookie
    for query in ("", "token=", "token=é", f"token={GUARD.form_token}"):
        assert not GUARD.is_named(query), query
    assert {"HttpOnly", "SameSite=Strict"} <= set(GUARD.cookie.split("; "))


def test_what_changes_something_comes_from_a_form_of_its_own() -> None:
    assert GUARD.may_act(HOST | {"origin": "http://127.0.0.1:8123"}, GUARD.form_token)
    for origin in ("null", "http://127.0.0.1:8124", "http://evil.example", "https://127.0.0.1:8123"):
        assert not GUARD.may_act(HOST | {"origin": origin}, GUARD.form_token), origin
    assert not GUARD.may_act(HOST, GUARD.form_token)
    assert not GUARD.may_act(HOST | {"origin": "http://127.0.0.1:8123"}, GUARD.token)
    assert len({Guard(1).token, Guard(1).token, GUARD.form_token}) == 3
