"""What of a revision's prompt grows with the product, and what with the change.

    python scripts/bench/revision.py [--orders 24]

Plans of different size, each for a specification with seven requirements a work order, and a change of two
requirements of one work order. Printed are bytes: the plan's and the specification's; the first prompt's; of
that the planner's rules with the schema of the answer; the change, which is the work order that it touches
with its requirements, the passages of the specification and what is said of both; and the rest.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from measure import table

from factory.contract.canonical import canonical_json
from factory.system.terminal.console import Console
from planner.check.on_disk import check_plan
from planner.cli import parser
from planner.commands.reasons.revision import revision_job

SIZES: Final = (6, 12, 24, 48)
_A_WORK_ORDER: Final = 7
_INTENT: Final = (
    "What the passages leave open is decided here, where each thing goes, and which edges it has. "
)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--orders", type=int, nargs="*", default=SIZES)
    rows = [row(number) for number in options.parse_args().orders]
    print(table(["work orders", "plan", "specification", "prompt", "rules", "change", "rest"], rows))


def row(orders: int) -> Sequence[str]:
    """The figures of one plan."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        old, new, plan = place / "old.md", place / "new.md", place / "plan"
        text = specification(orders)
        old.write_text(text)
        new.write_text(
            text.replace("number 9 of", "new number 9 of").replace("number 10 of", "new number 10 of")
        )
        plan.mkdir()
        manifest = json.dumps(document(orders))
        (plan / "WORK_ORDERS_MANIFEST.json").write_text(manifest)
        words = ["revise", "--plan", str(plan), "--spec", str(new), "--old-spec", str(old)]
        chosen = parser().parse_args([*words, "--outdir", str(place / "out"), "--llm", "gpt-5.2"])
        checked = check_plan(plan, frozenset())
        assert checked.plan is not None, checked.diagnostics
        job = revision_job(chosen, checked.plan, Console())
        messages = [message.content for message in job.messages()]
        schema = canonical_json(job.question.schema(job.named_projects))
        prompt = sum(len(message.encode()) for message in messages) + len(schema)
        change = sum(map(_bytes_of, _change(messages)))
        amending = _bytes_of(messages[-1]) - sum(map(_bytes_of, _between(messages[-1], "present_plan")))
        amending -= sum(map(_bytes_of, _between(messages[-1], "impact")))
        rules = _bytes_of(job.template.text) + len(schema) + amending
        rest = prompt - rules - change
        return [
            str(orders),
            *(f"{size:,}" for size in (len(manifest), len(text.encode()), prompt, rules, change, rest)),
        ]


def _change(messages: Sequence[str]) -> Iterator[str]:
    """The lines of a prompt that are about the change."""
    for message in messages:
        yield from _between(message, "product_spec")
        yield from _between(message, "impact")
        yield from (
            line for line in _between(message, "present_plan") if '"intent"' in line or '"quotes"' in line
        )


def _between(message: str, tag: str) -> Sequence[str]:
    return message.partition(f"<{tag} ")[2].partition(f"</{tag} ")[0].splitlines(keepends=True)


def _bytes_of(text: str) -> int:
    return len(text.encode())


def specification(orders: int) -> str:
    """Sections of seven numbered requirements."""
    sections = []
    for part in range(1, orders + 1):
        first = (part - 1) * _A_WORK_ORDER + 1
        lines = [f"- R-{number}: {_demand(number)}" for number in range(first, first + _A_WORK_ORDER)]
        sections.append(
            "\n".join([f"## Part {part}", "", "What follows is about this part alone.", "", *lines])
        )
    return "# Product\n\n" + "\n\n".join(sections) + "\n"


def _demand(number: int) -> str:
    part = (number - 1) // _A_WORK_ORDER + 1
    return (
        f"Part {part} must answer number {number} of what it is asked, in at most {number} steps, and refuse"
        " anything that is not a whole number with a message that names it."
    )


def document(orders: int) -> dict[str, Any]:
    """A plan: a work order a section, each with a module of its own."""
    numbers = range(1, orders * _A_WORK_ORDER + 1)
    return {
        "system_overview": ["Modules that know nothing of each other."],
        "verify_contract": None,
        "requirements": [
            {
                "id": f"R-{number}",
                "text": f"Number {number} is answered.",
                "quotes": [_demand(number)],
            }
            for number in numbers
        ],
        "work_orders": [_order(part) for part in range(1, orders + 1)],
    }


def _order(part: int) -> dict[str, Any]:
    module, test = f"product/part_{part:02d}.py", f"tests/test_part_{part:02d}.py"
    first = (part - 1) * _A_WORK_ORDER + 1
    return {
        "id": f"WO-{part:02d}",
        "title": f"Part {part}",
        "requirements": [f"R-{number}" for number in range(first, first + _A_WORK_ORDER)],
        "intent": f"Write part {part}. " + _INTENT * 40,
        "preconditions": [],
        "postconditions": [{"kind": "file_exists", "path": path} for path in (module, test)],
        "allowed_files": [module, test],
        "forbidden": [],
        "acceptance_commands": [f"python -m pytest -q {test}"],
        "context_files": [],
        "provides": [f"product.part_{part:02d}:answer_{part}(number: int) -> int"],
        "consumes": [],
        "notes": None,
    }


if __name__ == "__main__":
    main()
