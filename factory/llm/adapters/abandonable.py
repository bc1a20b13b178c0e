"""A model whose call can be left: for adapters that wait for a network in a way that nothing can end.

The call goes on in a thread of its own, which dies with the process; its answer is lost.
"""

import threading
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Final

from factory.llm.port import Answer, Request, Wrapper
from factory.system.process.stop import Stop

_LOOK_SECONDS: Final = 0.1


@dataclass(frozen=True)
class AbandonableModel(Wrapper):
    """`model`, whose call raises `Stopped` as soon as `stop` is asked for."""

    stop: Stop

    def complete(self, request: Request) -> Answer:
        self.stop.heed()
        done: SimpleQueue[Answer | BaseException] = SimpleQueue()

        def call() -> None:
            try:
                done.put(self.model.complete(request))
            except BaseException as error:
                done.put(error)

        threading.Thread(target=call, daemon=True).start()
        while True:
            try:
                result = done.get(timeout=_LOOK_SECONDS)
            except Empty:
                self.stop.heed()
                continue
            if isinstance(result, BaseException):
                raise result
            return result
