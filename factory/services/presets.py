"""What the factory knows how to run: the programs of each preset, and how they are started. Pure."""

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from factory.contract.services.declared import Preset


@dataclass(frozen=True)
class Recipe:
    """How a preset is run. Command lines begin with the name of one of its programs.

    Attributes:
        programs: what must be on the machine, the server first.
        places: where it is looked for beside PATH, as patterns; of several, the last.
        packages: what to install, for Debian.
        prepare: what makes its directory, once for a run or a build; empty if the server does.
        command: what is started.
        ready_log: what it prints when it is ready.
        port: the port that people expect.
        stop_signal: what ends it quickly and cleanly.
        stale: files in its directory that only a running one may have left.
        as_root: whether root may run it.
    """

    programs: tuple[str, ...]
    places: tuple[str, ...]
    packages: str
    prepare: tuple[str, ...]
    command: tuple[str, ...]
    ready_log: str
    port: int
    stop_signal: int
    stale: tuple[str, ...] = ()
    as_root: bool = True


_POSTGRES_SETTINGS: Final = {
    "listen_addresses": "127.0.0.1",
    # Its place may be too deep for the name of a socket.
    "unix_socket_directories": "",
    # What it holds lives as long as a pass at most.
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
    # No file outside of its directory.
    "shared_memory_type": "mmap",
    "dynamic_shared_memory_type": "mmap",
    "shared_buffers": "16MB",
    "max_connections": "50",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "off",
}

RECIPES: Final[Mapping[Preset, Recipe]] = MappingProxyType(
    {
        "postgres": Recipe(
            programs=("postgres", "initdb"),
            places=("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin"),
            packages="postgresql",
            prepare=(
                *("initdb", "-D", "{data}", "--username=postgres", "--auth=trust", "--encoding=UTF8"),
                *("--locale=C", "--no-sync", "--wal-segsize=1", "--no-instructions"),
            ),
            command=(
                *("postgres", "-D", "{data}", "-p", "{port}"),
                *(word for name, value in _POSTGRES_SETTINGS.items() for word in ("-c", f"{name}={value}")),
            ),
            ready_log="database system is ready to accept connections",
            port=5432,
            # A fast shutdown: it ends what is connected, and leaves its files as they must be.
            stop_signal=signal.SIGINT,
            stale=("postmaster.pid",),
            as_root=False,
        ),
        "redis": Recipe(
            programs=("redis-server",),
            places=(),
            packages="redis-server",
            prepare=(),
            command=(
                *("redis-server", "--port", "{port}", "--bind", "127.0.0.1", "--dir", "{data}"),
                # What one command of a pass has stored, the next must find: it is saved at the end.
                *("--save", "86400 1", "--appendonly", "no", "--daemonize", "no"),
            ),
            ready_log="Ready to accept connections",
            port=6379,
            stop_signal=signal.SIGTERM,
        ),
    }
)
