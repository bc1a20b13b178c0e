"""A plan of three work orders to revise, with a scripted model and everything else real."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from factory.contract.identity import contract_hash
from factory.contract.work_order import Plan
from factory.llm.ledger.store import Ledger
from factory.system.clock import SystemClock
from factory.system.terminal.console import Console
from planner.check.on_disk import check_plan
from planner.cli import parser
from planner.commands.reasons.revision import revision_job
from planner.compile.amending import CHANGES_NAME
from planner.compile.artifacts import Artifacts, default_directory
from planner.compile.emit import with_computed_fields, write_plan
from planner.compile.loop import Compiled, Deps, compile_spec
from tests.support.plans import Json, exists, makes, manifest
from tests.support.repositories import commit_files, make_repo
from tests.support.scripted_model import ScriptedModel

SPEC = "- It prints words.\n- It sorts them.\n- It counts them.\n"

CHANGED = SPEC.replace("prints words", "prints letters")


def requirement(number: int, quote: str) -> Json:
    return {"id": f"REQ-{number:02d}", "text": "Something.", "quotes": [quote]}


def step(number: int, path: str, *requirements: str, **fields: Any) -> Json:
    commands = [f"python {path}"]
    return makes(number, path, requirements=list(requirements), **{"acceptance_commands": commands, **fields})


def document() -> Json:
    """The plan: three work orders, each for a line of the specification; the second needs the first."""
    return manifest(
        step(1, "words.py", "REQ-01"),
        step(2, "sort.py", "REQ-02", preconditions=[exists("words.py")]),
        step(3, "count.py", "REQ-03"),
        requirements=[
            requirement(1, "It prints words."),
            requirement(2, "It sorts them."),
            requirement(3, "It counts them."),
        ],
    )


@dataclass
class Bench:
    """A plan and a repository in which its first work order has landed."""

    root: Path
    models: list[ScriptedModel] = field(default_factory=list)

    def __post_init__(self) -> None:
        plan = Plan.model_validate(document())
        write_plan(with_computed_fields(plan, frozenset(), "c0ffee"), self.root / "plan", overwrite=False)
        (self.root / "spec.md").write_text(SPEC)
        make_repo(self.root / "repo", {"README.md": "mine\n", "old.py": "x = 1\n"})
        self.land(plan, 1, {"words.py": "print('a')\n", "old.py": "x = 2\n"})

    def land(self, plan: Plan, number: int, files: dict[str, str]) -> str:
        order = plan.work_orders[number - 1]
        trailers = f"Work-Order: {order.id}\nContract: {contract_hash(order)}\nRun-Id: 0"
        return commit_files(self.root / "repo", files, f"{order.id}: x\n\n{trailers}\n")

    @property
    def before(self) -> Plan:
        plan = check_plan(self.root / "plan", frozenset()).plan
        assert plan is not None
        return plan

    @property
    def after(self) -> Plan:
        plan = check_plan(self.root / "revised", frozenset()).plan
        assert plan is not None
        return plan

    @property
    def changes(self) -> list[str]:
        return (self.root / "revised" / CHANGES_NAME).read_text().splitlines()

    def options(self, *options: str) -> list[str]:
        here, outdir = str(self.root / "plan"), str(self.root / "revised")
        return ["revise", "--plan", here, "--outdir", outdir, "--repo", str(self.root / "repo"), *options]

    def revise(self, script: list[str], *options: str) -> Compiled:
        chosen = parser().parse_args(self.options(*options))
        job = revision_job(chosen, self.before, Console())
        artifacts = default_directory(job.outdir)
        model = ScriptedModel(script)
        self.models.append(model)
        asked = Ledger(artifacts / "ledger").wrap(model)
        return compile_spec(job, Deps(asked, SystemClock(), Artifacts(artifacts), lambda text: None))

    def spec(self, text: str, name: str = "new.md") -> str:
        (self.root / name).write_text(text)
        return str(self.root / name)

    def failure(self, number: int = 2, **changes: object) -> str:
        order = self.before.work_orders[number - 1]
        request = {
            "work_order": order.id,
            "contract": contract_hash(order),
            "stage": "PO",
            "failure": {"message": "the command fails", "where": "", "hint": "", "excerpt": "boom"},
            "evidence": {"command": "python sort.py", "output": "no such option"},
            **changes,
        }
        (self.root / "repair_request.json").write_text(json.dumps(request))
        return str(self.root / "repair_request.json")

    def prompt(self, number: int = 0) -> str:
        return "\n".join(message.content for message in self.models[-1].requests[number].messages)


def answer(change: Callable[[Json], None]) -> str:
    changed = document()
    change(changed)
    return json.dumps(changed)


def codes(result: Compiled) -> list[str]:
    return [diagnostic.code for diagnostic in result.diagnostics]


def mend(plan: Json) -> None:
    plan["work_orders"][1]["intent"] = "Sort them, with the option that the command names."


def on_top(plan: Json) -> None:
    plan["requirements"][0]["quotes"] = ["It prints letters."]
    more = step(4, "words.py", "REQ-01", preconditions=[exists("words.py")], title="Print letters")
    plan["work_orders"].append(more)


def same(name: str) -> Json:
    return {"same_as": name}
