"""How much of what a build's prompts say a provider's prefix cache would serve, from the recorded calls.

    python scripts/bench/cache.py [FOLDER] [--jobs 1,4]

FOLDER is a ledger or a recording, `KEY.json` each; the demo's without one. A token is taken for four bytes. A
cache serves the longest beginning that a prompt shares with one that was asked and answered before, in steps
of 128 tokens, from 1,024 on. With more jobs the last ones before a prompt are still under way and serve
nothing. Prompts come in the order of the plan, and the first one, which nothing can serve, does not count.

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
_ORDER: Final = re.compile(r'<work_order id="\w+">\n(\{.*?\n\})\n</work_order', re.DOTALL)


@dataclass(frozen=True)
class Prompt:
    """One call of a build.

    Attributes:
        order: the id of its work order.
        attempt: which attempt.
        schema: the answer's schema, as a provider puts it in front.
        text: the messages.
    """

    order: str
    attempt: int
    schema: bytes
    text: bytes


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("folder", nargs="?", type=Path, default=CHECKOUT / "scripts/demo.d/recording")
    options.add_argument("--jobs", default="1,4")
    chosen = options.parse_args()
    prompts = recorded(chosen.folder)
    sizes = ", ".join(f"{prompt.order} {len(prompt.text):,}" for prompt in prompts)
    print(f"{len(prompts)} prompts of {sum(len(prompt.text) for prompt in prompts):,} bytes: {sizes}")
    whole = [prompt.schema + prompt.text for prompt in prompts]
    messages = [prompt.text for prompt in prompts]
    rows = [
        [f"jobs {jobs}", f"{share(whole, jobs):.0%}", f"{share(messages, jobs):.0%}"]
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
        order = json.loads(_ORDER.findall(text)[-1])["id"]
        schema = canonical_json(entry.request.answer_schema)
        prompts.append(Prompt(order, entry.request.attempt, schema, text.encode("utf-8")))
    return sorted(prompts, key=lambda prompt: (int(prompt.order[3:]), prompt.attempt))


def share(prompts: Sequence[bytes], jobs: int) -> float:
    """The part of the tokens of all prompts but the first that a cache would serve."""
    served = sum(
        max((_shared(prompt, earlier) for earlier in prompts[: max(0, number - jobs + 1)]), default=0)
        for number, prompt in enumerate(prompts)
    )
    return served / max(1, sum(len(prompt) // _BYTES_A_TOKEN for prompt in prompts[1:]))


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
