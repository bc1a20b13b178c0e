"""One call that executes a work order in this process, with a scripted model and everything else real."""

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import MANIFEST_NAME
from factory.llm.port import Model, Parameters, ProviderError
from factory.runs.inputs import Ports
from factory.runs.run import Finished, RunSettings, run_work_order
from factory.runs.settings import AttemptSettings
from factory.system.clock import SystemClock
from tests.support.answers import a_proposal
from tests.support.repositories import write_work_order
from tests.support.scripted_model import Script, ScriptedModel


def run_settings(repo: Path, work_order: Path, out: Path, **changes: Any) -> RunSettings:
    """What a user asks for who gives no options; `changes` replace fields."""
    settings = RunSettings(
        repo=repo,
        work_order=work_order,
        out=out,
        branch=None,
        attempts=attempt_settings(
            **{name: changes.pop(name) for name in sorted(changes) if name in AttemptSettings.model_fields}
        ),
        in_place=False,
        delete_ignored=False,
    )
    return replace(settings, **changes)


def attempt_settings(**changes: Any) -> AttemptSettings:
    """How work orders are attempted when a user gives no options; `changes` replace fields."""
    settings = AttemptSettings(
        max_attempts=2,
        parameters=Parameters(max_output_tokens=1_000, temperature=0.0),
        timeout_seconds=60.0,
        # Most work orders of tests are accepted by `true`.
        red_probe=False,
        # It has tests of its own; here it would only take its time.
        second_pass=False,
    )
    return settings.model_copy(update=changes)


class Scene:
    """A repository, a work order and a model, ready to run.

    The work order's file and the artifacts lie beside the repository.

    Attributes:
        repo: the repository.
        work_order: the work order's file.
        out: the directory for artifacts.
        model: the scripted model; its `requests` tell what it was asked.
        progress: what the user was told meanwhile.
        refuses_a_model: whether there is no model at all, as without a key.
    """

    def __init__(self, repo: Path, script: Iterable[Script] | None = None, **order: JsonValue) -> None:
        self.repo = repo
        self.work_order = write_work_order(repo.parent / "orders" / "WO-01.json", **order)
        self.out = repo.parent / "out"
        self.model: Model = ScriptedModel([a_proposal()] if script is None else script)
        self.progress: list[str] = []
        self.refuses_a_model = False

    def stands_in_a_plan(self, *orders: JsonObject, **fields: JsonValue) -> None:
        """Put the plan of these work orders, the scene's among them by its id, where that one stands."""
        folder = self.work_order.parent
        name = read_object(self.work_order)["id"]
        self.work_order.unlink()
        for order in orders:
            write_work_order(folder / f"{order['id']}.json", **order)
        self.work_order = folder / f"{name}.json"
        manifest = {"system_overview": [], "verify_contract": None, **fields, "work_orders": list(orders)}
        (folder / MANIFEST_NAME).write_text(json.dumps(manifest), encoding="utf-8")

    @property
    def asked(self) -> int:
        """How often the scripted model was asked."""
        assert isinstance(self.model, ScriptedModel)
        return len(self.model.requests)

    def run(self, **settings: Any) -> Finished:
        """Execute the work order; `terms` are those of its commands, which are confined by nothing else."""
        terms = settings.pop("terms", None)
        ports = Ports(
            lambda _stop, _price: self._model(),
            SystemClock(),
            self.progress.append,
            os.environ,
            lambda _in_place, _configuration: terms,
        )
        return run_work_order(run_settings(self.repo, self.work_order, self.out, **settings), ports)

    def _model(self) -> Model:
        if self.refuses_a_model:
            raise ProviderError("there is no key")
        return self.model


def summary_of(finished: Finished) -> JsonObject:
    """The `run_summary.json` of a run."""
    assert finished.folder is not None
    return read_object(finished.folder / "run_summary.json")


def read_object(path: Path) -> JsonObject:
    """A JSON object from a file."""
    value = json.loads(path.read_bytes())
    assert isinstance(value, dict)
    return value
