"""How much of what a build's prompts say a provider's prefix cache would serve, from the recorded calls.

    python scripts/bench/cache.py [FOLDER] [--jobs 1,4]

FOLDER is a ledger or a recording, `KEY.json` each; the demo's without one. A token is taken for four bytes. A
cache serves the longest beginning that a prompt shares with one that was asked and answered before, in steps
of 128 tokens, from 1,024 on. A prompt is asked as soon as a job is free and the work orders whose files it
needs are done, all taking the same time; what is under way meanwhile serves nothing. What is asked first,
which nothing can serve, does not count.

Providers put the schema of the answer in front of the prompt, so it is the beginning here, too; the last
column leaves it out.
"""

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from measure import CHECKOUT, table

from factory.contract.canonical import canonical_json
from factory.llm.ledger.file import read_ledger_file
from factory.llm.ledger.store import Entry

_BYTES_A_TOKEN: Final = 4
_STEP: Final = 128
_LEAST: Final = 1_024
_ORDER: Final = re.compile(r'<work_order id="\w+">\n(\{.*?\})\n</work_order', re.DOTALL)
_PATH: Final = re.compile(r"^`([^`\n]+)`(?: \(read only\)|, in part|:)", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """One call of a build.

    Attributes:
        order: the number of its work order.
        attempt: which attempt.
        made: the files that the work order may write.
        needed: the files of others that it names.
        schema: the answer's schema, as a provider puts it in front.
        text: the messages.
    """

    order: int
    attempt: int
    made: frozenset[str]
    needed: frozenset[str]
    schema: bytes
    text: bytes


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("folder", nargs="?", type=Path, default=CHECKOUT / "scripts/demo.d/recording")
    options.add_argument("--jobs", default="1,4")
    chosen = options.parse_args()
    prompts = recorded(chosen.folder)
    sizes = ", ".join(f"WO-{prompt.order:02d} {len(prompt.text):,}" for prompt in prompts)
    print(f"{len(prompts)} prompts of {sum(len(prompt.text) for prompt in prompts):,} bytes: {sizes}")
    rows = [
        [f"jobs {jobs}", f"{share(prompts, jobs):.0%}", f"{share(prompts, jobs, with_schema=False):.0%}"]
        for jobs in map(int, chosen.jobs.split(","))
    ]
    print(table(["", "served", "without the schema"], rows))


def recorded(folder: Path) -> list[Prompt]:
    """The prompts for proposals in a ledger, in the order of the plan."""
    prompts: list[Prompt] = []
    for path in sorted(folder.glob("*.json")):
        if len(path.stem) != 64:
            continue
        entry = read_ledger_file(Entry, path, advice="name another folder")
        if entry is None or entry.request.purpose != "propose":
            continue
        text = "\n".join(message.content for message in entry.request.messages)
        # Of files that a prompt quotes, one could hold such a text as well.
        order = json.loads(_ORDER.findall(text)[-1])
        made = frozenset(order["allowed_files"])
        schema = canonical_json(entry.request.answer_schema)
        prompts.append(
            Prompt(
                int(order["id"][3:]),
                entry.request.attempt,
                made,
                frozenset(_PATH.findall(text)) - made,
                schema,
                text.encode("utf-8"),
            )
        )
    return sorted(prompts, key=lambda prompt: (prompt.order, prompt.attempt))


def share(prompts: Sequence[Prompt], jobs: int, *, with_schema: bool = True) -> float:
    """The part of the tokens of all prompts but those asked first that a cache would serve."""
    rounds = asked_together(prompts, jobs)
    sent = [
        [(prompt.schema if with_schema else b"") + prompt.text for prompt in together] for together in rounds
    ]
    served = asked = 0
    for number, texts in enumerate(sent[1:], 1):
        earlier = [text for before in sent[:number] for text in before]
        served += sum(max(_shared(text, other) for other in earlier) for text in texts)
        asked += sum(len(text) // _BYTES_A_TOKEN for text in texts)
    return served / max(1, asked)


def asked_together(prompts: Sequence[Prompt], jobs: int) -> list[list[Prompt]]:
    """Which prompts are under way at the same time, one round after the other."""
    rounds: list[list[Prompt]] = []
    waiting = [*prompts]
    while waiting:
        together: list[Prompt] = []
        for prompt in waiting:
            before = [
                other for other in waiting if (other.order, other.attempt) < (prompt.order, prompt.attempt)
            ]
            is_ready = all(
                other.order != prompt.order and other.made.isdisjoint(prompt.needed | prompt.made)
                for other in before
            )
            if is_ready and len(together) < jobs:
                together.append(prompt)
        rounds.append(together)
        waiting = [prompt for prompt in waiting if prompt not in together]
    return rounds


def _shared(prompt: bytes, earlier: bytes) -> int:
    """How many tokens at the beginning are the same, as a cache counts them."""
    low, high = 0, min(len(prompt), len(earlier))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if prompt[:middle] == earlier[:middle] else (low, middle - 1)
    tokens = low // _BYTES_A_TOKEN // _STEP * _STEP
    return tokens if tokens >= _LEAST else 0


if __name__ == "__main__":
    main()
