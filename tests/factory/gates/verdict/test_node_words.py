"""Which commands of Node.js a program of ours runs, and with which words."""

import json
import shlex
from typing import Any

import pytest

from factory.gates.verdict.node_words import RewrittenNode, rewritten_node

SCRIPTS = {
    "test": "node --test",
    "unit": "vitest run --passWithNoTests",
    "twice": "npm run twice",
    "shell": "node --test && true",
    "lie": "true",
}


def rewrite(command: str) -> RewrittenNode | None:
    return rewritten_node(shlex.split(command), script=SCRIPTS.get)


@pytest.mark.parametrize(
    ("command", "facts"),
    [
        ("node --test", {"runner": "node", "before": ("node",), "options": (), "arguments": ()}),
        ("node --test a.test.js test/", {"arguments": ("a.test.js", "test/")}),
        ("node --import tsx --test a.ts", {"options": ("--import=tsx",), "arguments": ("a.ts",)}),
        ("node --import=tsx --test -- --odd", {"options": ("--import=tsx",), "arguments": ("--odd",)}),
        ("/bin/node -r tsx/cjs --test", {"before": ("/bin/node",), "options": ("-r", "tsx/cjs")}),
        ("node --test --test-only --test-concurrency 2 a.js", {"options": ("--test-only",), "chooses": True}),
        ("node --test --test-name-pattern=x", {"chooses": True}),
        ("node --test --test-reporter tap", {"reporter": "tap", "options": ()}),
        ("node --experimental-strip-types --test", {"options": ("--experimental-strip-types",)}),
        ("env A=b NODE_OPTIONS=--no-warnings timeout 5 node --test", {
            "before": ("env", "A=b", "timeout", "5", "node"),
            "environment": (("NODE_OPTIONS", "--no-warnings"),),
        }),
        ("node --input-type=module -e 'f()' a", {
            "runner": "eval", "options": ("--input-type=module",), "arguments": ("-e", "f()", "a"),
        }),
        ("node --import tsx -p 1", {"options": ("--import=tsx",), "arguments": ("-p", "1")}),
        ("npm test", {"runner": "node", "before": ("node",)}),
        ("npm t -- a.js", {"arguments": ("a.js",)}),
        ("npm run -s unit -- a", {"runner": "vitest", "arguments": ("--passWithNoTests", "a")}),
        ("npx vitest run a.ts", {"runner": "vitest", "before": ("node",), "arguments": ("a.ts",)}),
        ("npx --no-install vitest --run", {"runner": "vitest", "arguments": ()}),
        ("node_modules/.bin/vitest run -t x", {"runner": "vitest", "chooses": True}),
    ],
)  # fmt: skip
def test_a_program_of_ours_runs_what_the_words_name(command: str, facts: dict[str, Any]) -> None:
    ours = rewrite(command)

    assert ours is not None
    assert {name: getattr(ours, name) for name in facts} == facts


@pytest.mark.parametrize(
    "command",
    [
        "true", "node", "node a.js", "node a.js --test", "node -e", "node -e 'process.exit(0)'",
        "node --odd -e 1", "node --test --watch",
        "node --odd --test",
        "node --test --experimental-test-coverage", "node --test --test-shard=1/2", "node --test --import",
        "node -r ./setup.cjs --test", "node --require=../x.cjs --test", "node --env-file=.env --test",
        "env NODE_OPTIONS=--import=./x.mjs node --test", "env 'NODE_OPTIONS=-r ./x' node --test",
        "npx vitest", "npx vitest watch", "vitest run --help", "npx tsc --noEmit", "npx jest", "npm ci",
        "npm run", "npm run gone", "npm run lie", "npm run shell", "npm run twice", "npm --prefix x test",
        "npm test x", "bash -c 'node --test'", "nice node --test",
    ],
)  # fmt: skip
def test_of_other_commands_the_exit_code_is_all_there_is(command: str) -> None:
    assert rewrite(command) is None


def test_the_words_name_no_file_and_hold_no_secret() -> None:
    ours = rewrite("env A=b node --import tsx --test a.ts")

    assert ours is not None
    words = ours.words((7, 8, 9))
    assert words[:-1] == (
        "env", "A=b", "node", "--input-type=commonjs", "-e",
        "eval(require('node:fs').readFileSync(9,'utf8'))", "--", "7,8,9",
    )  # fmt: skip
    assert json.loads(words[-1]) == {
        "options": ["--import=tsx"], "words": ["a.ts"], "environment": {}, "reporter": "spec",
    }  # fmt: skip
