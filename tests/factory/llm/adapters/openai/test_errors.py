"""Every way in which the API gives no answer, as a user reads it; the key is in none of them."""

import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from factory.llm.adapters.endpoint import Endpoint
from factory.llm.adapters.openai.chat import OpenAiChat
from factory.llm.adapters.openai.responses import OpenAiResponses
from factory.llm.ledger.pending import Reservations
from factory.llm.ledger.store import Ledger
from factory.llm.port import Model, ProviderError
from tests.support.openai_stand_in import (
    Fault,
    OpenAiStandIn,
    chat_completion,
    ended_response,
    error_body,
)
from tests.support.requests import a_request

KEY = "sk-test-0123456789abcdef"
Build = Callable[[OpenAiStandIn, Path, int], Model]


def chat(server: OpenAiStandIn, path: Path, max_retries: int) -> Model:
    return OpenAiChat("gpt-test", Endpoint.from_environment(server.environment()), max_retries=max_retries)


def responses(server: OpenAiStandIn, path: Path, max_retries: int) -> Model:
    return OpenAiResponses(
        "gpt-test",
        Endpoint.from_environment(server.environment()),
        Reservations(path),
        sleep=lambda seconds: None,
        max_retries=max_retries,
    )


def stand_in(build: Build) -> OpenAiStandIn:
    return OpenAiStandIn(chat_completion("ok") if build is chat else ended_response("ok"))


both = pytest.mark.parametrize("build", [chat, responses])


@both
@pytest.mark.parametrize(
    ("fault", "message", "hint"),
    [
        (
            Fault(400, error_body("Bad.")),
            "the server refused the request (400): Bad",
            "check the model's name",
        ),
        (
            Fault(400, error_body("Too long", code="context_length_exceeded")),
            "the prompt is too long for this model (400): Too long",
            "shorten the input",
        ),
        (
            Fault(401, error_body(f"Incorrect API key provided: {KEY}")),
            "the server refused the API key (401): Incorrect API key provided: [secret]",
            "check OPENAI_API_KEY",
        ),
        (Fault(403, error_body("Region")), "the server denies access (403): Region", "OPENAI_API_KEY"),
        (Fault(404, error_body("No model")), "the server knows no such model", "check the model's name"),
        (
            Fault(429, error_body("Slow down"), {"retry-after": "7"}),
            "the rate limit is reached (429): Slow down",
            "the server asks to wait: 7",
        ),
        (
            Fault(429, error_body("Pay", code="insufficient_quota")),
            "the account has no credit left (429): Pay",
            "add credit",
        ),
        (Fault(500, b"<h1>oops</h1>"), "the server failed (500): <h1>oops</h1>", "later"),
        (Fault(503, b""), "the server failed (503)", "later"),
        (Fault(418, error_body("\x1b[2Jtea")), "(418): \\x1b[2Jtea", "check"),
        (Fault(500, error_body("x" * 5_000)), "xxx…", "later"),
        (Fault(drop=True), "the connection failed: ", "check the network"),
    ],
)
def test_a_fault_is_told_with_what_where_and_what_next(
    build: Build, fault: Fault, message: str, hint: str, tmp_path: Path
) -> None:
    with stand_in(build) as server:
        server.faults.append(fault)
        model = Ledger(tmp_path / "ledger").wrap(build(server, tmp_path / "ledger", 0))
        with pytest.raises(ProviderError) as caught:
            model.complete(a_request())

    error = caught.value
    assert message in error.message
    assert hint in error.hint
    assert error.where.startswith("gpt-test at 127.0.0.1:")
    assert KEY not in str(error)
    assert len(str(error)) < 800
    assert list((tmp_path / "ledger").iterdir()) == []


@both
def test_a_key_at_the_edge_of_a_shortened_message_is_not_shown_in_part(build: Build, tmp_path: Path) -> None:
    with stand_in(build) as server:
        server.faults.append(Fault(500, error_body("y " * 180 + KEY * 3)))
        with pytest.raises(ProviderError) as caught:
            build(server, tmp_path, 0).complete(a_request())

    assert "sk-" not in str(caught.value)


@both
@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_a_passing_fault_is_retried(build: Build, status: int, tmp_path: Path) -> None:
    with stand_in(build) as server:
        server.faults.extend([Fault(status, error_body("wait"), {"retry-after-ms": "1"})] * 3)
        assert build(server, tmp_path, 3).complete(a_request()).text == "ok"

    assert server.count("POST") == 4


@both
@pytest.mark.parametrize("code", ["insufficient_quota", "billing_not_active"])
def test_an_account_without_credit_is_asked_once(build: Build, code: str, tmp_path: Path) -> None:
    with stand_in(build) as server:
        server.faults.extend([Fault(429, error_body("Pay", code=code))] * 4)
        with pytest.raises(ProviderError, match="the account has no credit left") as caught:
            build(server, tmp_path, 3).complete(a_request())

    assert server.count("POST") == 1
    assert "billing" in caught.value.hint


def test_retry_after_is_honoured(tmp_path: Path) -> None:
    with stand_in(chat) as server:
        server.faults.append(Fault(429, error_body("wait"), {"retry-after": "1.5"}))
        started = time.monotonic()
        chat(server, tmp_path, 3).complete(a_request())

    # The SDK's own first delay is at most half a second.
    assert time.monotonic() - started >= 1.5


def test_a_wait_of_minutes_is_told_instead_of_waited(tmp_path: Path) -> None:
    with stand_in(chat) as server:
        server.faults.append(Fault(429, error_body("wait"), {"retry-after": "600"}))
        with pytest.raises(ProviderError, match="the server asks to wait: 600"):
            chat(server, tmp_path, 3).complete(a_request())


def test_a_dropped_connection_is_retried(tmp_path: Path) -> None:
    with stand_in(chat) as server:
        server.faults.append(Fault(drop=True))
        assert chat(server, tmp_path, 1).complete(a_request()).text == "ok"


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        model = OpenAiChat("m", Endpoint.from_environment({"OPENAI_BASE_URL": url}), max_retries=0)
        with pytest.raises(ProviderError, match="the connection failed"):
            model.complete(a_request())


def test_a_server_that_stays_silent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        endpoint = Endpoint.from_environment({"OPENAI_BASE_URL": url})
        model = OpenAiChat("m", endpoint, timeout_seconds=0.3, max_retries=0)
        with pytest.raises(ProviderError, match="did not answer in time") as caught:
            model.complete(a_request())
        assert caught.value.may_be_paid


@both
def test_the_key_is_sent_and_is_in_no_file(build: Build, tmp_path: Path) -> None:
    with stand_in(build) as server:
        Ledger(tmp_path).wrap(build(server, tmp_path, 0)).complete(a_request())

    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    files = list(tmp_path.iterdir())
    assert len(files) == 1
    assert KEY.encode() not in files[0].read_bytes()
