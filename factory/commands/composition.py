"""Puts the parts together that the options of `run` and `build` name: the model, its limits, the settings."""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from factory.attempt.commit.authorship import co_authors
from factory.commands.options import ledger_folder
from factory.configuration.document import OWN_FILE, Configuration
from factory.configuration.guarded import OPTION
from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath, UnsafePath
from factory.llm.adapters.replay import REPLAY
from factory.llm.adapters.select import names_in, price_of_named, select_model
from factory.llm.agents.workplace import Engineer, Workplace
from factory.llm.ladder import Ladder
from factory.llm.ledger.store import Ledger, RecordedModel
from factory.llm.port import Model, Parameters, identity
from factory.llm.secrets import redact, secret_values
from factory.llm.spending.budget import Budget, Limits
from factory.llm.spending.prices import Price
from factory.people.hints import Hint
from factory.runs.inputs import Ports
from factory.runs.settings import AttemptSettings
from factory.system.clock import SystemClock
from factory.system.network.allowed import PREFIX, Allowed, parse_allowed
from factory.system.notes import read_notes
from factory.system.process.stop import Stop
from factory.system.sandbox.further import further_places
from factory.system.sandbox.kernel.bounds import Bounds
from factory.system.sandbox.kernel.find import find_control_groups
from factory.system.sandbox.kernel.group import ControlGroups
from factory.system.sandbox.levels.choose import choose
from factory.system.sandbox.limit_option import parse_limits
from factory.system.sandbox.policy import Network, Resources
from factory.system.sandbox.port import Sandbox, SandboxRefused, Terms
from factory.system.terminal.arguments import parse_price
from factory.system.terminal.console import visible
from factory.trials.local import LocalTrials
from factory.trials.memory import TRIALS_FOLDER, RememberedTrials
from factory.trials.port import Trials

LEFT_AT_ONCE: Final = (
    "left at once: throw-away checkouts may remain in the directory for temporary files;"
    " the next run or build in this repository removes them, and finishes a landing that was cut off"
)
"""The last word to a user who sends a second signal."""


def attempt_settings(options: argparse.Namespace) -> AttemptSettings:
    """How work orders are attempted.

    Raises:
        WorkorderError: the notes or a limit can't be used, or an option says something of what is not there.
    """
    _require_models(options)
    if options.kill_threshold is not None and options.mutants == 0:
        raise WorkorderError(
            "--kill-threshold with --mutants 0 would hold for nothing", hint="leave out one of them"
        )
    # What they are added to is known later; a mistake in them is told before anything is begun.
    for text in options.limit:
        parse_limits(text)
    return AttemptSettings(
        max_attempts=options.max_attempts or max(2, len(_names(options))),
        parameters=Parameters(
            max_output_tokens=options.max_output_tokens, temperature=options.llm_temperature
        ),
        timeout_seconds=options.timeout_seconds,
        passed_variables=tuple(options.pass_env),
        # The words of a program may hold a key; it is refused later, but recorded now.
        answer_format=options.answer_format,
        llm=redact(options.engineer or ", ".join(_names(options)), secret_values(os.environ)),
        price=_price(options),
        red_probe=not options.no_red_probe,
        second_pass=not options.no_second_pass,
        mutants=options.mutants,
        kill_threshold=options.kill_threshold,
        oracle_check=options.oracle_check,
        warnings=options.warnings,
        notes=read_notes(options.knowledge),
        accepted_configuration=_accepted(options),
        verify=options.verify,
        project=project_named(options.project),
        co_authors=co_authors(options.co_author),
    )


def project_named(text: str | None) -> RepoPath | None:
    """The directory that `--project` names; None for none.

    Raises:
        WorkorderError: it is no path of a repository.
    """
    try:
        return None if text is None else RepoPath.parse(text.removesuffix("/"))
    except UnsafePath as error:
        raise WorkorderError(
            error.message,
            where=f"--project {error.where}",
            hint="give its path from the root of the repository, such as services/api",
        ) from error


def ports_of(
    options: argparse.Namespace, progress: Callable[[str], None], trials: Trials | None = None
) -> Ports:
    """The model within its limits, the clock, this process's environment, and what runs trials.

    Args:
        options: the parsed options.
        progress: tells the user what happens now.
        trials: the engine; None for this process.
    """
    for name in _names(options):
        if name.startswith(REPLAY):
            recording = visible(name.removeprefix(REPLAY))
            progress(f"answers come from the recording {recording}: no model is asked")
    ledger = Ledger(ledger_folder(options))
    asked = _Asked(options, ledger, Budget(limits_of(options), ledger), progress)
    hired = _engineer(options)
    remembered = RememberedTrials(
        trials or LocalTrials(), options.out.absolute() / TRIALS_FOLDER, reads=not options.retest
    )
    return Ports(
        asked.model,
        SystemClock(),
        progress,
        os.environ,
        partial(_terms, options, progress),
        partial(asked.agent, hired) if hired is not None else None,
        asked.other if hired is None else None,
        remembered,
    )


@dataclass(frozen=True)
class _Asked:
    """Who is asked for work, through one ledger and within one budget."""

    options: argparse.Namespace
    ledger: Ledger
    budget: Budget
    progress: Callable[[str], None]

    def model(self, stop: Stop | None, price: Price | None) -> Model:
        """The model of `--llm`, or the ladder of several."""
        names = _names(self.options)
        named = {name: Price(*amounts) for name, amounts in self.options.price_of}
        if len(names) == 1:
            return self._select(names[0], stop, price, price)
        members = tuple(self._select(name, stop, named.get(name), price) for name in names)
        by_model = {
            identity(member): named[name]
            for name, member in zip(names, members, strict=True)
            if name in named
        }
        return Ladder(members, self.ledger, self.options.fallback, by_model, progress=self.progress)

    def other(self, said: Hint, stop: Stop | None) -> tuple[RecordedModel, Price | None]:
        """The model that a person named for one more attempt, with its price if they said one."""
        own = Price(*parse_price(said.price)) if said.price else None
        return self._select(said.llm, stop, own), own

    def agent(self, hired: Engineer, place: Workplace, stop: Stop | None, price: Price | None) -> Model:
        """The agent of `--engineer`, where it works."""
        from factory.llm.agents.named import hire

        agent = hire(hired, place, stop)
        return self.ledger.wrap(agent, self.budget.permit(agent, stop, price))

    def _select(
        self, name: str, stop: Stop | None, price: Price | None, otherwise: Price | None = None
    ) -> RecordedModel:
        return select_model(
            name,
            stage="factory",
            ledger=self.ledger,
            environment=os.environ,
            budget=self.budget,
            stop=stop,
            price=price,
            otherwise=otherwise,
        )


def _terms(
    options: argparse.Namespace, progress: Callable[[str], None], in_place: bool, configuration: Configuration
) -> Terms:
    """What commands run in, and what they may use; tells of its gaps."""
    resources = parse_limits(configuration.limits) if configuration.limits else Resources()
    for text in options.limit:
        resources = parse_limits(text, base=resources)
    sandbox = choose(
        options.sandbox,
        allow_unsandboxed=options.allow_unsandboxed,
        environment=os.environ,
        in_place=in_place,
    )
    groups, kept = _bounds(options, sandbox, in_place)
    if options.sandbox == "auto" and sandbox.gaps:
        progress(f"commands run in the sandbox {sandbox.level}, with gaps: `factory doctor` tells of them")
    if kept.gap:
        progress(f"limits on {kept.gap} are kept by the watch alone: `factory doctor` tells how to mend it")
    read = further_places(configuration.sandbox.read, os.environ, f"{OWN_FILE}, sandbox.read")
    return Terms(sandbox, _gates_network(options, sandbox), resources, groups, kept, read)


def known_price(options: argparse.Namespace) -> Price | None:
    """What the user says that an answer costs, else what is known of the model that they name.

    None if nobody knows, an agent works, or several models are named. No key is needed.
    """
    names = _names(options)
    said = _price(options)
    return said if said is not None or len(names) != 1 else price_of_named(names[0])


def limits_of(options: argparse.Namespace) -> Limits:
    """What may be spent."""
    # What the user says of prices comes with each model: not all cost the same.
    return Limits(options.max_cost_usd, options.max_tokens)


def _engineer(options: argparse.Namespace) -> Engineer | None:
    """The agent that the user named; None if the model is the engineer.

    Raises:
        WorkorderError: it can't be used as it is named.
    """
    hosts = parse_allowed(options.net) if options.net.startswith(PREFIX) else ()
    if options.engineer is None:
        _refuse_without_agent(options, hosts)
        return None
    where = "--engineer"
    if getattr(options, "in_place", False):
        raise WorkorderError(
            "an agent works in a checkout of its own", where=where, hint="leave --in-place out"
        )
    if options.oracle_check != "off":
        raise WorkorderError(
            "an agent gives no second opinion",
            where=f"--oracle-check {options.oracle_check}",
            hint="leave it out",
        )
    if options.escalate:
        raise WorkorderError(
            "an agent has the place of all models", where="--escalate", hint="leave it out, or --engineer"
        )
    from factory.llm.agents.named import engineer

    return engineer(
        options.engineer,
        variables=options.engineer_env,
        files=options.engineer_file,
        hosts=hosts,
        timeout_seconds=options.engineer_timeout,
        environment=os.environ,
    )


def _refuse_without_agent(options: argparse.Namespace, hosts: tuple[Allowed, ...]) -> None:
    """Refuse what is for an agent alone.

    Raises:
        WorkorderError: something is.
    """
    given = {
        f"--net {options.net}": bool(hosts),
        "--engineer-env": bool(options.engineer_env),
        "--engineer-file": bool(options.engineer_file),
    }
    for where, is_given in given.items():
        if is_given:
            raise WorkorderError(
                "is for an agent alone", where=where, hint="name it with --engineer, or leave it out"
            )


def _gates_network(options: argparse.Namespace, sandbox: Sandbox) -> Network:
    """The network of commands; hosts that are allowed are allowed to the agent alone.

    Raises:
        SandboxRefused: the sandbox can't keep an agent to its hosts.
    """
    if not options.net.startswith(PREFIX):
        return "host" if options.net == "host" else "none"
    if not sandbox.level.startswith("bwrap"):
        raise SandboxRefused(
            f"the sandbox {sandbox.level} can't keep an agent to some hosts: it has no loopback of its own",
            where=f"--net {options.net}",
            hint="use bubblewrap (`factory doctor` tells what it lacks), or --net host",
        )
    return "none"


def _bounds(
    options: argparse.Namespace, sandbox: Sandbox, in_place: bool
) -> tuple[ControlGroups | None, Bounds]:
    """Where commands get control groups, and what keeps their limits."""
    discovery = find_control_groups()
    # In place, root may have to stay root: its own files are not given away.
    by_level = "" if in_place and os.geteuid() == 0 else sandbox.bounds_processes
    kept = discovery.bounds(by_level)
    if kept.gap and options.strict_limits:
        raise SandboxRefused(
            f"limits on {kept.gap} would be kept by the watch alone ({kept.reason})",
            where="--strict-limits",
            hint="\n        ".join(kept.remedies),
        )
    return discovery.groups, kept


def _accepted(options: argparse.Namespace) -> tuple[RepoPath, ...]:
    try:
        return tuple(sorted({RepoPath.parse(path) for path in options.allow_config}))
    except UnsafePath as error:
        raise WorkorderError(
            error.message, where=f"{OPTION} {error.where}", hint="give its path as the work order writes it"
        ) from error


def _price(options: argparse.Namespace) -> Price | None:
    if not options.escalate and options.price_of:
        return Price(*options.price_of[-1][1])
    return Price(*options.price) if options.price else None


def _names(options: argparse.Namespace) -> list[str]:
    """The models that are asked, as the user named them, the first one first; none if an agent works."""
    if options.engineer is not None:
        return []
    return [options.llm, *(names_in(options.escalate) if options.escalate else ())]


def _require_models(options: argparse.Namespace) -> None:
    names = _names(options)
    if options.fallback and len(names) < 2:
        raise WorkorderError(
            "there is no model to fall back to", where="--fallback", hint="name further ones with --escalate"
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise WorkorderError("names a model twice", where=f"--escalate {twice}", hint="name each once")
    recording = next((name for name in names if name.startswith(REPLAY)), None)
    if recording is not None and len(names) > 1:
        raise WorkorderError(
            "a recording answers for every model that was asked",
            where=f"--escalate with {recording}",
            hint="leave out --escalate to replay what several models answered",
        )
    stranger = next((name for name, _ in options.price_of if name not in names), None)
    if stranger is not None:
        raise WorkorderError(
            "no such model is asked",
            where=f"--price-of {stranger}",
            hint=f"it is one of {', '.join(names)}" if names else "an agent's answers cost what --price says",
        )
