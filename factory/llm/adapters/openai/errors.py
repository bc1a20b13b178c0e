"""What an error of the OpenAI SDK means to a user. Pure; the SDK is imported only once it has raised."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from factory.contract.strict_json import BadJson, read_json
from factory.llm.adapters.openai.endpoint import KEY_VARIABLE, URL_VARIABLE

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAIError

_AGAIN: Final = "run the same command again later; answers that were already paid are kept"
# The option is known, its value is wrong: to leave it out would hide the user's mistake, or ours.
_WRONG_VALUE_CODES: Final = frozenset({"invalid_value", "invalid_type", "invalid_json_schema"})
_NO_CREDIT: Final = frozenset({"insufficient_quota", "billing_not_active"})
# How servers that name no parameter call the option in their message.
_OTHER_NAMES: Final = {
    "response_format": ("json_schema",),
    "text.format": ("json_schema", "response_format"),
}


def explain(error: "OpenAIError") -> tuple[str, str]:
    """The message and the hint for an error that the SDK raised."""
    import openai

    match error:
        case openai.APIStatusError():
            what, hint = _status(error)
            said = _server_text(error)
            return f"{what} ({error.status_code}){': ' if said else ''}{said}", hint
        case openai.APITimeoutError():
            return "the server did not answer in time", _AGAIN
        case openai.APIConnectionError():
            cause = str(error.__cause__ or error) or type(error.__cause__).__name__
            return (
                f"the connection failed: {cause}",
                f"check the network and {URL_VARIABLE}, then run the same command again",
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
    return isinstance(error, dict) and not _NO_CREDIT.isdisjoint(
        said for said in (error.get("code"), error.get("type")) if isinstance(said, str)
    )


def _status(error: "APIStatusError") -> tuple[str, str]:
    match error.status_code:
        case 401:
            return "the server refused the API key", f"check {KEY_VARIABLE}"
        case 403:
            return "the server denies access", f"check what {KEY_VARIABLE} may use, and from where"
        case 404:
            return (
                "the server knows no such model, or no such API",
                f"check the model's name and {URL_VARIABLE}; some servers need openai-chat:NAME",
            )
        case 408:
            return "the server did not get the request in time", _AGAIN
        case 429 if error.code in _NO_CREDIT or error.type in _NO_CREDIT:
            return (
                "the account has no credit left",
                "see to its billing: add credit or raise its limit, then run the same command again",
            )
        case 429:
            return "the rate limit is reached", _AGAIN + _wait(error)
        case status if status >= 500:
            return "the server failed", _AGAIN + _wait(error)
        case _ if error.code == "context_length_exceeded":
            return (
                "the prompt is too long for this model",
                "shorten the input, or use a model with a larger context",
            )
        case _:
            return "the server refused the request", "check the model's name and the options given for it"


def _wait(error: "APIStatusError") -> str:
    seconds = error.response.headers.get("retry-after")
    return f" (the server asks to wait: {seconds})" if seconds else ""


def _server_text(error: "APIStatusError") -> str:
    """What the server says in its own words: of an error object the message, else the body as it is."""
    body = error.body
    text = body.get("message") if isinstance(body, dict) else body
    return text.strip() if isinstance(text, str) else ""


def _same_place(param: str, option: str) -> bool:
    return param == option or param.startswith(f"{option}.") or option.startswith(f"{param}.")
