"""What counts as text: that a model may read, and that can be written."""


def decoded(data: bytes) -> tuple[str, str]:
    """A file's text, and what is wrong with the file if it is none; one of the two is empty."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return "", f"is not UTF-8 (byte {error.start})"
    return ("", "holds NUL, which no text does") if "\0" in text else (text, "")


def encodable(text: str) -> bool:
    """Whether `text` can be written as UTF-8: it holds no half of a surrogate pair."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
