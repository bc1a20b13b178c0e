"""Whether processes have more memory than is allowed, where no control group tells.

Pages of files count as nobody's. Pages that processes share are shared out only when it matters, because
that is dear.
"""

import heapq
import time
from collections.abc import Mapping
from typing import Final

from factory.system.sandbox.watch.usage import memory_of, shared_out

# What sharing out memory may take, which holds the command up as well.
_SHARE: Final = 0.1
# Of so many processes, the largest, it is told at each look what of their memory are pages of files.
_LOOKED_INTO: Final = 3


class Memory:
    """The memory of one command's processes.

    Args:
        allowed: how many bytes they may have.
    """

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._next_sharing = 0.0
        self._most_of_files = 0

    def is_too_large(self, resident: Mapping[int, int]) -> bool:
        """Whether processes with so many resident bytes have more than is allowed."""
        for pid in heapq.nlargest(_LOOKED_INTO, resident, key=resident.__getitem__):
            own, mapped = memory_of(pid)
            self._most_of_files = max(self._most_of_files, mapped)
            if own > self._allowed:
                return True
        # Pages that processes share count in each of them; to share them out takes the kernel longer.
        if sum(resident.values()) <= self._allowed or time.monotonic() < self._next_sharing:
            return False
        began = time.monotonic()
        shared = shared_out(resident)
        done = time.monotonic()
        self._next_sharing = done + (done - began) / _SHARE
        return shared > self._allowed

    def was_too_large(self, peak_bytes: int) -> bool:
        """Whether the most that one of the processes ever had was more."""
        # The peak tells nothing of its parts: what is known not to be memory is given it.
        return peak_bytes - self._most_of_files > self._allowed
