"""A build up to the first call of a model: in a copy of the repository, with nobody who answers.

What it finds is what a build would find before it pays: the state of the repository, the environment, the
base's own verification, the work orders that need no model, and of each work order that is ready whether its
acceptance commands fail for a reason that the work can mend.
"""

import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Stage
from factory.builds.build import build
from factory.builds.endings import refusal
from factory.builds.settings import BuildSettings, Built
from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState, Ended
from factory.builds.state.order import OrderState
from factory.contract.canonical import canonical_json
from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject
from factory.gates.check import Probed
from factory.llm.port import (
    Answer,
    FinishReason,
    Model,
    ProviderError,
    Request,
    Usage,
    Wrapper,
    estimate_tokens,
)
from factory.llm.spending.prices import Price
from factory.people.skips import set_skip, skips_of
from factory.repository.readiness import require_ready
from factory.repository.target import require_outside, target
from factory.runs.inputs import Ports
from factory.runs.record.files import PROBE
from factory.system.git.client import Git
from factory.system.process.signals import Interrupted
from factory.system.process.stop import Stop
from factory.trials.memory import RememberedTrials

_WAITING: Final = (OrderPhase.PENDING, OrderPhase.BLOCKED)
_REFS: Final = ("+refs/heads/*:refs/heads/*", "+refs/tags/workorder/*:refs/tags/workorder/*")
"""Branches, and what a person has approved."""

_KEPT: Final = ("user.name", "user.email", "core.autocrlf", "core.eol", "core.fileMode")
"""Settings of the repository that what is committed there depends on."""


@dataclass(frozen=True)
class Ready:
    """A work order for which a model would be asked first.

    Attributes:
        order: the work order.
        probed: what its acceptance commands do now.
        prompt_tokens: about how many tokens its prompt has.
    """

    order: OrderState
    probed: tuple[Probed, ...]
    prompt_tokens: int


@dataclass(frozen=True)
class Rehearsed:
    """How far a build would come.

    Attributes:
        ended: why it would not begin, or end before a model is asked; None if nothing stands in its way.
        unasked: why the model can't be asked, where all before that went well.
        ready: the work orders for which a model would be asked first, in the plan's order.
        landed: those that have landed.
        alone: those that land without a model.
        waiting: those that wait for others.
        left_out: those that a person leaves out.
        price: what an answer costs; None if that is not known.
    """

    ended: Ended | None
    ready: tuple[Ready, ...] = ()
    landed: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    price: Price | None = None
    unasked: Ended | None = None


def rehearse(settings: BuildSettings, ports: Ports, price: Price | None = None) -> Rehearsed:
    """Build in a copy until a model would be asked; the repository and its output directory stay as they are.

    Every expected ending is returned, also a refusal; only a bug raises. A model that can't be asked, such as
    for want of a key, ends it no sooner than one would be asked.

    Args:
        settings: what the user asks of the build.
        ports: what executions touch beside the repository; nobody is asked.
        price: of the model, if it is known though it can't be asked.
    """
    unasked: list[ProviderError] = []
    try:
        git = Git.open(settings.repo)
        require_outside(settings.out, git)
        require_ready(target(git, settings.branch), in_place=False, may_delete_ignored=False)
        with tempfile.TemporaryDirectory(prefix="workorder-") as folder:
            copied, out = _copy(git, Path(folder) / "repository"), Path(folder) / "out"
            asked: dict[str, int] = {}
            silent = _with_silence(ports, asked, unasked)
            built = build(_until_asked(settings, copied, out), silent, _unheard)
            result = _outcome(git, built, out, asked)
    except (Interrupted, WorkorderError, OSError) as error:
        return Rehearsed(refusal(error))
    if not unasked:
        return result
    return replace(result, unasked=refusal(unasked[0]), price=result.price or price)


@dataclass(frozen=True)
class _Silence(Wrapper):
    """A model that is not asked: its answer is empty, and how long each prompt is, is written down."""

    asked: dict[str, int]

    def complete(self, request: Request) -> Answer:
        schema = canonical_json(request.answer_schema).decode() if request.answer_schema is not None else ""
        prompt = "".join(message.content for message in request.messages)
        self.asked[request.subject] = estimate_tokens(prompt + schema)
        usage = Usage(input_tokens=0, output_tokens=0)
        return Answer(text="", finish_reason=FinishReason.STOP, usage=usage, model=self.name)


@dataclass(frozen=True)
class _Nobody:
    """In the place of who can't be asked, and of an agent, which needs a checkout even to begin."""

    adapter: str = "nobody"
    name: str = "rehearsal"

    def complete(self, request: Request) -> Answer:
        raise AssertionError("nobody is asked")


def _with_silence(ports: Ports, asked: dict[str, int], unasked: list[ProviderError]) -> Ports:
    def model(stop: Stop | None, price: Price | None) -> Model:
        if ports.agent is not None:
            return _Silence(_Nobody(), asked)
        try:
            return _Silence(ports.model(stop, price), asked)
        except ProviderError as error:
            unasked.append(error)
            return _Silence(_Nobody(), asked)

    trials = ports.trials
    if isinstance(trials, RememberedTrials):
        # What is known may be believed, and the directory of the build stays as it is.
        trials = replace(trials, writes=False)
    return replace(ports, model=model, agent=None, other=None, trials=trials)


def _until_asked(settings: BuildSettings, repo: Path, out: Path) -> BuildSettings:
    """The settings under which each work order that is ready comes as far as its first question."""
    attempts = settings.attempts.model_copy(update={"max_attempts": 1, "oracle_check": "off"})
    return replace(
        settings,
        repo=repo,
        out=out,
        ledger=None,
        attempts=attempts,
        keep_going=True,
        accept_plan=True,
        rebuild_state=False,
    )


def _unheard(_state: BuildState, _event: JsonObject) -> None:
    """What happens in the copy is no news of the build."""


def _copy(git: Git, place: Path) -> Path:
    """A clone with the same branches, the same one checked out, and what commits are made with."""
    place.mkdir()
    copied = Git(place / ".git", place / ".git", place)
    form = git.text("rev-parse", "--show-object-format")
    copied.text("init", "--quiet", "--template=", f"--object-format={form}")
    information = copied.git_dir / "objects" / "info"
    information.mkdir(parents=True, exist_ok=True)
    # Nothing is copied but names: the objects stay where they are, and are read there.
    (information / "alternates").write_bytes(os.fsencode(git.common_dir / "objects") + b"\n")
    copied.text(
        "fetch",
        "--quiet",
        "--no-tags",
        "--update-head-ok",
        "--",
        str(git.common_dir),
        *_REFS,
    )
    for name in _KEPT:
        done = git.call("config", "--get", name)
        if done.ok:
            copied.text("config", name, done.stdout.decode("utf-8", "surrogateescape").strip())
    for contract, skip in skips_of(git.common_dir).items():
        set_skip(copied.git_dir, (contract,), skip)
    # Whether commits can be signed was tried before; none of these is kept.
    copied.text("config", "commit.gpgSign", "false")
    commit, branch = git.head()
    if branch is not None:
        copied.text("symbolic-ref", "HEAD", branch)
    elif commit is not None:
        copied.text("update-ref", "--no-deref", "HEAD", commit)
    copied.text("reset", "--quiet", "--hard")
    return place


def _outcome(git: Git, built: Built, out: Path, asked: dict[str, int]) -> Rehearsed:
    ended, state = built.ended, built.state
    if state is None:
        return Rehearsed(ended)
    ready = tuple(order for order in state.orders if _was_asked(order))
    others = [order for order in state.orders if order.state is OrderPhase.FAILED and order not in ready]
    comes_far = ended.exit_code is ExitCode.PASS or (ended.exit_code is ExitCode.FAIL and not others)
    done = [order for order in state.orders if order.state is OrderPhase.LANDED and order.commit]
    landed = tuple(order.id for order in done if git.commit_id(order.commit or "") is not None)
    return Rehearsed(
        ended=None if comes_far else ended,
        ready=tuple(Ready(order, _probed(order, out), asked.get(order.contract, 0)) for order in ready),
        landed=landed,
        alone=tuple(order.id for order in done if order.id not in landed),
        left_out=tuple(order.id for order in state.orders if order.state is OrderPhase.SKIPPED),
        waiting=tuple(order.id for order in state.orders if order.state in _WAITING),
        price=state.known_prices.dearest,
    )


def _was_asked(order: OrderState) -> bool:
    """Whether all that stood between a work order and its end was an answer."""
    failure = order.last_failure
    return (
        order.state is OrderPhase.FAILED and failure is not None and failure.stage is Stage.LLM_OUTPUT_INVALID
    )


def _probed(order: OrderState, out: Path) -> tuple[Probed, ...]:
    found = [PROBE.read_sound(out / run.run_id) for run in order.runs]
    return next((probe.commands for probe in reversed(found) if probe is not None), ())
