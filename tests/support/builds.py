"""One call that builds a plan in this process, with a scripted model and everything else real."""

import json
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from factory.builds.build import build
from factory.builds.settings import BuildSettings, Built
from factory.builds.state.model import BuildState
from factory.builds.watch import Doing
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import MANIFEST_NAME
from factory.llm.ledger.store import Ledger
from factory.llm.port import Answer, Model, Request
from factory.llm.spending.prices import Price
from factory.runs.inputs import Ports
from factory.runs.settings import AttemptSettings
from factory.system.clock import SystemClock
from factory.system.process.stop import Stop
from factory.trials.local import LocalTrials
from tests.support.repositories import a_work_order, git
from tests.support.runs import attempt_settings
from tests.support.scripted_model import answer

Reply = Callable[[str, int, Request], "str | Answer"]
"""What the model says: a function of the work order, the attempt and the request."""


class ReplyingModel:
    """A `factory.llm.port.Model` that answers by work order and attempt, in any order and from any thread.

    Attributes:
        asked: the work order and the attempt of every call, in the order of asking.
        prompts: the user's part of every prompt, by work order and attempt.
    """

    adapter = "replying"
    name = "script"

    def __init__(self, reply: Reply) -> None:
        self.asked: list[tuple[str, int]] = []
        self.prompts: dict[tuple[str, int], str] = {}
        self._reply = reply
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Answer:
        match = re.search(r'"id": "(WO-\d+)"', request.messages[-1].content)
        assert match is not None
        call = (match[1], request.attempt)
        with self._lock:
            self.asked.append(call)
            self.prompts[call] = request.messages[-1].content
        said = self._reply(*call, request)
        return said if isinstance(said, Answer) else answer(said)


def write_plan(folder: Path, orders: Sequence[Mapping[str, JsonValue]]) -> Path:
    """A plan's directory with these work orders; each is completed by `a_work_order`."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, order in enumerate(orders, start=1):
        document = a_work_order(**{"id": f"WO-{number:02d}", **order})
        (folder / f"{document['id']}.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def writes(path: str, **more: JsonValue) -> JsonObject:
    """The part of a work order that may write one file and must make it."""
    return {"allowed_files": [path], "acceptance_commands": [f"test -f {path}"], **more}


class BuildScene:
    """A repository, a plan and a model, ready to build.

    Attributes:
        repo: the repository.
        plan: the plan's directory.
        out: the directory for artifacts.
        model: the model; its `asked` tells what it was asked, in all builds of the scene.
        events: what was told meanwhile.
        states: the state after each of them.
        doing: what was told of what is done.
    """

    def __init__(self, repo: Path, orders: Sequence[Mapping[str, JsonValue]], reply: Reply) -> None:
        self.repo = repo
        self.plan = write_plan(repo.parent / "plan", orders)
        self.out = repo.parent / "out"
        self.model = ReplyingModel(reply)
        self.events: list[JsonObject] = []
        self.states: list[BuildState] = []
        self.doing: list[Doing] = []

    def order(self, order_id: str) -> JsonObject:
        """A work order as it is on the disk."""
        value = json.loads((self.plan / f"{order_id}.json").read_bytes())
        assert isinstance(value, dict)
        return value

    def write_manifest(self, manifest: JsonObject) -> None:
        """Give the plan a manifest."""
        (self.plan / MANIFEST_NAME).write_text(json.dumps(manifest), encoding="utf-8")

    def build(self, **settings: Any) -> Built:
        """Build, or build again; `trials` run the checks, and `terms` are those of commands."""
        trials, terms = settings.pop("trials", LocalTrials()), settings.pop("terms", None)
        ledger = Ledger(self.out / "ledger")

        def model(_stop: Stop | None, _price: Price | None) -> Model:
            return ledger.wrap(self.model)

        ports = Ports(
            model,
            SystemClock(),
            lambda _text: None,
            os.environ,
            lambda _in_place, _configuration: terms,
            trials=trials,
        )
        return build(self.settings(**settings), ports, self._listen, self.doing.append)

    def _listen(self, state: BuildState, event: JsonObject) -> None:
        self.states.append(state)
        self.events.append(event)

    def settings(self, **changes: Any) -> BuildSettings:
        """What a user asks for who gives no options; `changes` replace fields."""
        attempts = {
            name: changes.pop(name) for name in sorted(changes) if name in AttemptSettings.model_fields
        }
        settings = BuildSettings(
            repo=self.repo,
            plan=self.plan,
            out=self.out,
            branch=None,
            attempts=attempt_settings(**attempts),
        )
        return replace(settings, **changes)

    def landed(self) -> list[str]:
        """The work orders on the branch, the oldest first."""
        log = git(self.repo, "log", "--reverse", "--format=%(trailers:key=Work-Order,valueonly)")
        return [line for line in log.splitlines() if line]

    def trees(self) -> list[str]:
        """The tree of every commit, the oldest first."""
        return git(self.repo, "log", "--reverse", "--format=%T").splitlines()
