"""What a person sees of a build while it goes on, and at its end."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from factory.build.build import Built
from factory.build.documents import BuildState
from factory.contract.strict_json import JsonObject
from factory.system.console import Console


@dataclass(frozen=True)
class View:
    """Shows a build as plain lines."""

    console: Console
    quiet: bool

    def progress(self, text: str) -> None:
        """Something that is no event."""
        if not self.quiet:
            self.console.progress(text)

    def event(self, _state: BuildState, event: JsonObject) -> None:
        """An event of the build."""
        if event["event"] == "work_order":
            self.progress(f"{event['work_order']}: {event['after']}")


@contextmanager
def view(console: Console, *, quiet: bool, as_json: bool) -> Iterator[View]:
    """The view that fits what the user asked for."""
    yield View(console, quiet or as_json)


def told_build(built: Built, out: Path) -> str:
    """The last lines of a build: what happened, who must act, where to look."""
    lines = [built.ended.message]
    if built.ended.hint:
        lines.append(f"  hint: {built.ended.hint}")
    if built.state is not None:
        lines.append(f"  artifacts: {out}")
    return "\n".join(lines)
