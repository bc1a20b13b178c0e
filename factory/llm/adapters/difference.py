"""What differs between a request and the recorded ones: for a replay that finds no answer. Pure."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from factory.contract.canonical import dump
from factory.contract.strict_json import JsonValue
from factory.llm.port import Message, Request

_SHOWN_CHARS: Final = 60
_SHOWN_BEFORE: Final = 20


def nearest(request: Request, recorded: Sequence[Request]) -> int:
    """The index of the recorded request most like `request`: same purpose and attempt first, then the text.

    Raises:
        ValueError: `recorded` is empty.
    """

    def unlikeness(index: int) -> tuple[bool, bool, int, int, int]:
        other = recorded[index]
        return (
            other.purpose != request.purpose,
            other.attempt != request.attempt,
            -_common_chars(request.messages, other.messages),
            sum(1 for _ in differences(other, request)),
            index,
        )

    return min(range(len(recorded)), key=unlikeness)


def differences(recorded: Request, asked: Request) -> Iterator[str]:
    """Each difference as one line; of texts, the first line that differs."""
    for name in ("purpose", "attempt"):
        yield from _value(name, getattr(recorded, name), getattr(asked, name))
    before, now = dump(recorded.parameters), dump(asked.parameters)
    assert isinstance(before, dict)
    assert isinstance(now, dict)
    for name in sorted(before):
        yield from _value(f"parameter {name}", before[name], now[name])
    yield from _value("schema_name", recorded.schema_name, asked.schema_name)
    yield from _schema("", recorded.answer_schema, asked.answer_schema)
    yield from _messages(recorded.messages, asked.messages)


def _messages(recorded: Sequence[Message], asked: Sequence[Message]) -> Iterator[str]:
    if len(recorded) != len(asked):
        yield f"number of messages: recorded {len(recorded)}, now {len(asked)}"
    for number, (before, now) in enumerate(zip(recorded, asked, strict=False), start=1):
        if before.role != now.role:
            yield f"message {number}: the role was {before.role}, now {now.role}"
        elif before.content != now.content:
            yield f"message {number} ({before.role}), {_first_line(before.content, now.content)}"


def _first_line(before: str, now: str) -> str:
    old, new = before.split("\n"), now.split("\n")
    for number, (left, right) in enumerate(zip(old, new, strict=False), start=1):
        if left != right:
            at = _common(left, right)
            return f"line {number}: recorded {_shortened(left, at)}, now {_shortened(right, at)}"
    number = min(len(old), len(new)) + 1
    if len(old) > len(new):
        return f"line {number}: recorded {_shortened(old[number - 1], 0)}, now the text ends before it"
    return f"line {number}: recorded a text that ends before it, now {_shortened(new[number - 1], 0)}"


def _schema(pointer: str, before: JsonValue, now: JsonValue) -> Iterator[str]:
    """The first place in which two schemas differ."""
    match before, now:
        case dict(), dict():
            for key in sorted(before.keys() | now.keys()):
                place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
                if key not in before or key not in now:
                    yield f"answer schema, {place}: {'new' if key in now else 'gone'}"
                    return
                difference = next(_schema(place, before[key], now[key]), None)
                if difference is not None:
                    yield difference
                    return
        case list(), list() if len(before) == len(now):
            for index, (left, right) in enumerate(zip(before, now, strict=True)):
                difference = next(_schema(f"{pointer}/{index}", left, right), None)
                if difference is not None:
                    yield difference
                    return
        case _:
            yield from _value(f"answer schema, {pointer or '/'}", before, now)


def _value(name: str, before: JsonValue, now: JsonValue) -> Iterator[str]:
    if before != now:
        left, right = (json.dumps(value, ensure_ascii=False, sort_keys=True) for value in (before, now))
        at = _common(left, right)
        old, new = _shortened(left, at, quoted=True), _shortened(right, at, quoted=True)
        yield f"{name}: recorded {old}, now {new}"


def _shortened(text: str, at: int, *, quoted: bool = False) -> str:
    """The part of `text` around position `at`, quoted, with an ellipsis where something was left out."""
    start = 0 if len(text) <= _SHOWN_CHARS else max(0, at - _SHOWN_BEFORE)
    end = start + _SHOWN_CHARS
    part = f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
    return part if quoted else json.dumps(part, ensure_ascii=False)


def _common_chars(left: Sequence[Message], right: Sequence[Message]) -> int:
    total = 0
    for before, now in zip(left, right, strict=False):
        common = _common(before.content, now.content)
        total += common
        if before != now:
            break
    return total


def _common(left: str, right: str) -> int:
    """How many characters two texts have in common from their beginning."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(left), len(right)))
