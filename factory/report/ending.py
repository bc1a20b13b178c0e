"""The last lines of a run: what happened, who must act, where to look."""

from pathlib import Path

from factory.run_record import Ending


def told(ending: Ending, folder: Path | None) -> str:
    """The ending as text for the terminal."""
    lines = [ending.message]
    if ending.failure is not None and ending.failure.excerpt:
        lines += ["", *(f"    {line}" for line in ending.failure.excerpt.splitlines()), ""]
    if ending.hint:
        lines.append(f"  hint: {ending.hint}")
    if folder is not None:
        lines.append(f"  artifacts: {folder}")
    return "\n".join(lines)
