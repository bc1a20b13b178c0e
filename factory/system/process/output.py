"""Where a command's output goes: files that keep its beginning and, if it is long, its end."""

import subprocess
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final, Protocol

from factory.system.process.channel import Channel

HEAD_BYTES: Final = 8_000_000
"""How much of a command's output is stored from its beginning."""

TAIL_BYTES: Final = 1_000_000
"""How much of a longer output is stored from its end."""


class Receiver(Protocol):
    """What takes the chunks of a stream."""

    def write(self, chunk: bytes, /) -> object: ...


class Sinks:
    """The files that get a command's output, and its standard error if that has a file of its own."""

    def __init__(self, stdout: Path, stderr: Path | None, channels: Sequence[Channel] = ()) -> None:
        self._paths = [stdout] + ([stderr] if stderr is not None else [])
        self._sinks: list[Sink] = []
        self._channels = channels

    def __enter__(self) -> "Sinks":
        for path in self._paths:
            self._sinks.append(Sink(path.open("wb")))
        return self

    def __exit__(self, *_: object) -> None:
        with ExitStack() as closing:
            for sink in self._sinks:
                closing.callback(sink.close)

    def sources(self, process: "subprocess.Popen[bytes]") -> "list[tuple[IO[bytes] | int, Receiver]]":
        """What is read while the command runs, and what takes it; a report is read as well, and no output."""
        streams = [stream for stream in (process.stdout, process.stderr) if stream is not None]
        reported = [(channel.reading, channel) for channel in self._channels]
        return [*zip(streams, self._sinks, strict=True), *reported]

    @property
    def total_bytes(self) -> int:
        return sum(sink.total for sink in self._sinks)


class Sink:
    """A file with the beginning of a stream and, if that is long, its end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self.total = 0

    def write(self, chunk: bytes) -> None:
        room = max(0, HEAD_BYTES - self.total)
        self.total += len(chunk)
        self._file.write(chunk[:room])
        rest = chunk[room:]
        if rest:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
        while self._tail and self._tail_bytes - len(self._tail[0]) >= TAIL_BYTES:
            self._tail_bytes -= len(self._tail.popleft())

    def close(self) -> None:
        with self._file:
            tail = b"".join(self._tail)[-TAIL_BYTES:]
            left_out = self.total - HEAD_BYTES - len(tail)
            if left_out > 0:
                self._file.write(b"\n[... %d bytes left out ...]\n" % left_out)
            self._file.write(tail)
