"""`factory serve`: builds in a browser, while they go on."""

import logging
import socket
from argparse import Namespace
from pathlib import Path
from typing import Final

from factory.attempt.exit_codes import ExitCode
from factory.contract.errors import WorkorderError
from factory.system.process.signals import Interrupted
from factory.system.terminal.arguments import Commands, whole
from factory.system.terminal.console import Console

_LOOPBACK: Final = "127.0.0.1"


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "serve",
        help="show builds in a browser, while they go on",
        description="Show builds in a browser, while they go on, to you alone: on this machine, at an address"
        " with a secret. Ends with Ctrl-C. Needs the extra workorder[ui].",
    )
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="the directory of a build or of runs, or one that holds several of them",
    )
    command.add_argument(
        "--port", type=whole, default=0, metavar="N", help="the port (default: one that is free)"
    )
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Serve until a signal ends it; the exit code.

    Raises:
        WorkorderError: what it needs is not installed, there is no such directory, or the port is taken.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise WorkorderError(
            f"{error.name} is not installed", hint="install the extra: pip install 'workorder[ui]'"
        ) from error
    from factory.commands.serving.app import Server
    from factory.commands.serving.guard import Guard

    if not options.out.is_dir():
        raise WorkorderError(
            "is no directory", where=str(options.out), hint="name the --out of a build, or build first"
        )
    with _listening(options.port) as listener:
        guard = Guard(listener.getsockname()[1])
        app = Server(options.out.resolve(), guard, console.naming).app()
        console.progress("whoever has this address sees the builds and can steer them; Ctrl-C ends it")
        console.result(guard.address)
        _log_to(console)
        config = uvicorn.Config(
            app,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        try:
            uvicorn.Server(config).run(sockets=[listener])
        except Interrupted:
            # It has closed what was open, and hands the signal on.
            console.progress("no longer served")
    return ExitCode.PASS


def _log_to(console: Console) -> None:
    """Tell what goes wrong in the server as everything is told: what it quotes may be a stranger's."""

    class Told(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            console.progress(self.format(record))

    log = logging.getLogger("uvicorn.error")
    log.handlers, log.propagate = [Told(logging.WARNING)], False


def _listening(port: int) -> socket.socket:
    """A socket of this machine alone.

    Raises:
        WorkorderError: the port can't be used.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_LOOPBACK, port))
        # Before the address is printed: whoever opens it at once waits, and is not refused.
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        raise WorkorderError(
            f"can't be used: {error}", where=f"--port {port}", hint="name another one, or none"
        ) from error
    return listener
