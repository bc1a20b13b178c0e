"""What an error of the OpenAI SDK means to a user. Pure; the SDK is imported only once it has raised."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from factory.contract.strict_json import BadJson, read_json
from factory.llm.adapters.endpoint import Endpoint
from factory.llm.adapters.endpoint import lacks_credit as is_about_credit

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAIError

# The option is known, its value is wrong: to leave it out would hide the user's mistake, or ours.
_WRONG_VALUE_CODES: Final = frozenset({"invalid_value", "invalid_type", "invalid_json_schema"})
# How servers that name no parameter call the option in their message.
_OTHER_NAMES: Final = {
    "response_format": ("json_schema",),
    "text.format": ("json_schema", "response_format"),
}


def explain(error: "OpenAIError", endpoint: Endpoint) -> tuple[str, str]:
    """The message and the hint for an error that the SDK raised."""
    import openai

    match error:
        case openai.APIStatusError():
            codes = [code for code in (error.code, error.type) if code]
            wait = error.response.headers.get("retry-after")
            return endpoint.explain_status(error.status_code, codes, _server_text(error), wait)
        case openai.APITimeoutError():
            return endpoint.explain_silence()
        case openai.APIConnectionError():
            return endpoint.explain_connection(
                str(error.__cause__ or error) or type(error.__cause__).__name__
            )
        case _:
            return f"the request failed: {error}", ""


def refused_option(error: "APIStatusError", options: Iterable[str]) -> str | None:
    """The option that made the server refuse the request because it does not know it, or None."""
    if error.status_code not in (400, 422) or error.code in _WRONG_VALUE_CODES:
        return None
    for option in sorted(options):
        if error.param:
            if _same_place(error.param, option):
                return option
        elif any(name in _server_text(error) for name in (option, *_OTHER_NAMES.get(option, ()))):
            return option
    return None


def lacks_credit(body: bytes) -> bool:
    """Whether the body of a 429 says that the account can't pay, which waiting does not mend."""
    try:
        value = read_json(body, "reply")
    except BadJson:
        return False
    error = value.get("error") if isinstance(value, dict) else None
    return isinstance(error, dict) and is_about_credit(
        [said for said in (error.get("code"), error.get("type")) if isinstance(said, str)]
    )


def _server_text(error: "APIStatusError") -> str:
    """What the server says in its own words: of an error object the message, else the body as it is."""
    body = error.body
    text = body.get("message") or body.get("detail") if isinstance(body, dict) else body
    return (text if isinstance(text, str) else str(text or "")).strip()


def _same_place(param: str, option: str) -> bool:
    return param == option or param.startswith(f"{option}.") or option.startswith(f"{param}.")
