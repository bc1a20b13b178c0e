"""What counts as text that a model may read."""


def decoded(data: bytes) -> tuple[str, str]:
    """A file's text, and what is wrong with the file if it is none; one of the two is empty."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return "", f"is not UTF-8 (byte {error.start})"
    return ("", "holds NUL, which no text does") if "\0" in text else (text, "")
