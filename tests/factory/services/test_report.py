"""What the program around a command reports, and what is made of it."""

from factory.services.report import parse_around

WORD = b"w" * 64


def hexed(text: str) -> str:
    return text.encode().hex()


def report(*lines: str) -> bytes:
    return b"\n".join((WORD, *(line.encode() for line in lines), b""))


def test_a_command_that_ran_with_a_service_that_died() -> None:
    said = parse_around(
        report(
            "starting db", f"log db {hexed('one')}", "ready 12", f"log db {hexed(' two')}",
            f"died db {hexed('ended with exit code 1')}", f"tail db 10 {hexed('end')}", "end -9",
        ),
        WORD,
    )  # fmt: skip

    assert (said.starting, said.ready_milliseconds, said.end) == ("db", 12, -9)
    assert said.died == {"db": "ended with exit code 1"}
    assert said.logs["db"].text == b"one twoend"


def test_a_long_log_says_what_was_left_out() -> None:
    said = parse_around(report(f"log db {hexed('one')}", f"tail db 1000 {hexed('end')}"), WORD)

    assert said.logs["db"].text == b"one\n[... 994 bytes left out ...]\nend"


def test_a_service_that_is_not_ready() -> None:
    why = hexed("it is \u2620")
    said = parse_around(report("starting db", f"unready db {why}"), WORD)

    assert said.unready == ("db", "it is \u2620")
    assert said.ready_milliseconds is None


def test_what_another_says_or_what_was_cut_off_is_nothing() -> None:
    assert parse_around(report("end 0"), b"x" * 64).end is None
    assert parse_around(b"", WORD).end is None
    said = parse_around(report("ready 1") + b"log db 3", WORD)
    assert (said.ready_milliseconds, said.logs) == (1, {})
    assert parse_around(report("end 0 \x1b", "rubbish", "log ../db 00"), WORD).end is None
