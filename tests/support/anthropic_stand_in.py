"""The events in which the Messages API streams an answer, as `OpenAiStandIn` sends them."""

import json

from factory.contract.strict_json import JsonObject, JsonValue


def message_events(
    text: str = "",
    *,
    stop_reason: str | None = "end_turn",
    stop_details: JsonValue = None,
    thought: str = "",
    pieces: int = 3,
    ended: bool = True,
    **usage: JsonValue,
) -> bytes:
    """The stream of one message: what the model thought, its text in pieces, its end."""
    start: JsonObject = {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-test-1",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {
                "input_tokens": 50,
                "cache_creation_input_tokens": 7,
                "cache_read_input_tokens": 20,
                "output_tokens": 1,
            },
        },
    }
    events: list[JsonObject] = [start, {"type": "ping"}]
    if thought:
        events += _block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            [
                {"type": "thinking_delta", "thinking": thought},
                {"type": "signature_delta", "signature": "c2ln"},
            ],
        )
    size = max(1, -(-len(text) // pieces))
    deltas: list[JsonValue] = [
        {"type": "text_delta", "text": text[at : at + size]} for at in range(0, len(text), size)
    ]
    events += _block(1 if thought else 0, {"type": "text", "text": ""}, deltas)
    delta: JsonObject = {"stop_reason": stop_reason, "stop_sequence": None}
    if stop_details is not None:
        delta["stop_details"] = stop_details
    if ended:
        events += [
            {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 30, **usage}},
            {"type": "message_stop"},
        ]
    return b"".join(map(event, events))


def event(data: JsonObject) -> bytes:
    """One event of a stream."""
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def failure(kind: str, message: str) -> JsonObject:
    """The body, or the event, in which the API reports an error."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def _block(index: int, block: JsonObject, deltas: list[JsonValue]) -> list[JsonObject]:
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]
