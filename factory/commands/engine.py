"""`factory engine`: starts what an engine is made of, and tells what there is."""

import os
import socket
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from factory.attempt.exit_codes import ExitCode
from factory.system.terminal.arguments import Commands, Options
from factory.system.terminal.console import Console, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from factory.trials.port import Trials

_MISSING: Final = "the engine of --engine dask:… is not installed"
_INSTALL: Final = "pip install 'workorder[dask]'"


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "engine",
        help="start a scheduler or a worker of an engine, make its certificates, or list its workers",
        description="An engine runs the trials of `factory build --engine` on other machines. `scheduler`"
        " brings the two together, `worker` runs trials, `certs` makes what both sides know each other by,"
        " `status` lists the workers.",
    )
    command.add_argument(
        "act",
        choices=("scheduler", "worker", "status", "certs"),
        metavar="scheduler|worker|status|certs",
        help="what to do",
    )
    add_engine(command)
    command.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="worker: the scheduler's address, such as tls://10.0.0.5:8786",
    )
    command.add_argument(
        "--scheduler-file",
        type=Path,
        metavar="FILE",
        help="scheduler: write the address there; worker: read it there",
    )
    command.add_argument(
        "--host", default="127.0.0.1", metavar="HOST", help="scheduler: where to listen (default: 127.0.0.1)"
    )
    command.add_argument(
        "--port", type=_port, default=0, metavar="N", help="scheduler: the port (default: one that is free)"
    )
    command.add_argument(
        "--name", metavar="NAME", help="worker: what it is called (default: its host's name)"
    )
    command.add_argument(
        "--directory",
        type=Path,
        metavar="DIR",
        help="worker: where it keeps copies of repositories; several may share it (default: the cache)",
    )
    command.add_argument(
        "--env",
        action="append",
        default=[],
        metavar="NAME",
        help="worker: a further environment variable that it keeps, such as PIP_INDEX_URL",
    )
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="certs: the directory that gets ca.pem, cert.pem and key.pem"
    )
    command.add_argument(
        "--until-stdin-closes",
        action="store_true",
        help="scheduler, worker: end when standard input closes, as it does with the program that started it",
    )
    command.set_defaults(run=run)


def add_engine(command: Options) -> None:
    """The options that name an engine: `engine`, `engine_insecure`."""
    command.add_argument(
        "--engine",
        default="local",
        metavar="ENGINE",
        help="where trials run: local, in this process; dask:ADDRESS or dask:FILE, on the workers of a"
        " scheduler; dask:local:N, on N workers that are started here (default: %(default)s)",
    )
    command.add_argument(
        "--engine-insecure",
        action="store_true",
        help="accept a scheduler on another machine without encryption, in a network that is yours alone",
    )


def add_remote(command: Options) -> None:
    """The option that names where workers may fetch from: `engine_remote`."""
    command.add_argument(
        "--engine-remote",
        metavar="URL",
        help="a repository of https://, ssh:// or file:// from which workers fetch the base's history",
    )


@contextmanager
def trials_of(options: Namespace, progress: "Callable[[str], None]") -> "Iterator[Trials]":
    """Within the block trials run on the engine that the options name.

    Args:
        options: with those of `add_engine` and `add_remote`.
        progress: tells the user what happens now.

    Raises:
        WorkorderError: it can't be used.
    """
    from factory.engines.name import parse_engine, parse_remote
    from factory.trials.local import LocalTrials

    name = parse_engine(options.engine)
    remote = "" if options.engine_remote is None else parse_remote(options.engine_remote)
    if name.kind == "local":
        yield LocalTrials()
        return
    _require_installed()
    from factory.engines.dask.opened import opened

    with opened(name, insecure=options.engine_insecure, progress=progress, remote=remote) as trials:
        yield trials


def run(options: Namespace, console: Console) -> int:
    """Do what is asked."""
    from factory.contract.errors import WorkorderError

    _require_installed()
    if options.act == "status":
        return _status(options, console)
    if options.act == "certs":
        from factory.engines.certificates import write_certificates

        if options.out is None:
            raise WorkorderError("where shall they go?", where="certs", hint="name a directory with --out")
        made = write_certificates(options.out)
        console.result(f"{made.authority}\n{made.certificate}\n{made.key} (secret)")
        return ExitCode.PASS
    if options.act == "worker" and not (options.scheduler or options.scheduler_file):
        raise WorkorderError(
            "which scheduler?", where="worker", hint="name it with --scheduler or --scheduler-file"
        )
    if options.act == "scheduler":
        _serve_scheduler(options)
    else:
        _serve_worker(options)
    return ExitCode.PASS


def _serve_scheduler(options: Namespace) -> None:
    from factory.engines.surroundings import keep_only, worker_environment

    keep_only(worker_environment(os.environ))
    import dask

    from factory.engines.dask.nodes import serve_scheduler
    from factory.engines.name import require_private

    encrypted = bool(dask.config.get("distributed.comm.tls.ca-file", None))
    protocol = "tls" if encrypted else "tcp"
    require_private(f"{protocol}://{options.host}:{options.port or 1}", insecure=options.engine_insecure)
    serve_scheduler(
        options.host, options.port, protocol, options.scheduler_file, lifeline=options.until_stdin_closes
    )


def _serve_worker(options: Namespace) -> None:
    from factory.contract.errors import WorkorderError
    from factory.engines.name import is_address
    from factory.engines.office import NAME_VARIABLE, PLACE_VARIABLE
    from factory.engines.surroundings import abilities, keep_only, worker_environment

    if options.scheduler and not is_address(options.scheduler):
        raise WorkorderError(
            "is no address of a scheduler",
            where=f"--scheduler {options.scheduler}",
            hint="such as tls://10.0.0.5:8786",
        )
    name = options.name or f"{socket.gethostname()}-{os.getpid()}"
    environment = worker_environment(os.environ, options.env) | {NAME_VARIABLE: name}
    if options.directory is not None:
        environment[PLACE_VARIABLE] = str(options.directory.absolute())
    keep_only(environment)
    from factory.engines.dask.nodes import memory_of_machine, serve_worker

    serve_worker(
        options.scheduler or "",
        options.scheduler_file,
        name,
        abilities(os.environ, memory_of_machine()),
        insecure=options.engine_insecure,
        lifeline=options.until_stdin_closes,
    )


def _status(options: Namespace, console: Console) -> int:
    from factory.contract.errors import WorkorderError
    from factory.engines.dask.cluster import Lost
    from factory.engines.dask.opened import cluster_of
    from factory.engines.name import EngineProblem, parse_engine
    from factory.report.engine import render_workers

    name = parse_engine(options.engine)
    if name.kind in ("local", "processes"):
        raise WorkorderError(
            "has no workers before a build starts them",
            where=f"--engine {options.engine}",
            hint="name a scheduler: dask:ADDRESS or dask:FILE",
        )
    with cluster_of(name, insecure=options.engine_insecure) as cluster:
        try:
            workers = cluster.workers()
        except Lost as error:
            raise EngineProblem(visible(str(error)), where=cluster.address) from error
        console.result(render_workers(cluster.address, workers))
    return ExitCode.PASS


def _require_installed() -> None:
    from importlib.util import find_spec

    from factory.contract.errors import WorkorderError

    if any(find_spec(name) is None for name in ("distributed", "cryptography")):
        raise WorkorderError(_MISSING, where="--engine", hint=_INSTALL)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise ArgumentTypeError(f"{text!r} is no port")
    return int(text)
