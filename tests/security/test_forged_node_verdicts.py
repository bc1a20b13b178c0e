"""Proposals in JavaScript that do not do the work and want `node --test` to pass: none does.

The product is one function and the plan's test of it, which every proposal leaves as it is.
"""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from factory.gates.verdict.judgement import kind_of
from tests.support.observed import judged
from tests.support.repositories import write_files


def _node() -> int:
    """The major version of the machine's Node.js; 0 if there is none."""
    if shutil.which("node") is None:
        return 0
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    match = re.match(r"v(\d+)", said)
    return int(match[1]) if match else 0


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_node() < 20, reason="Node.js 20 or newer is not installed"),
]

TEST = (
    "import assert from 'node:assert/strict';\nimport test from 'node:test';\n"
    "import { slug } from './slug.js';\n\n"
    "test('lowers', () => { assert.equal(slug('A b'), 'a-b'); });\n"
)
PACKAGE = '{"type": "module", "scripts": {"test": "node --test slug.test.js"}}\n'
RIGHT = "export function slug(text) {\n  return text.toLowerCase().replaceAll(' ', '-');\n}\n"
WRONG = "export function slug(text) {\n  return text;\n}\n"
COMMAND = "node --test slug.test.js"
CUT_OFF = "these files did not run to their end: slug.test.js"

# What is written, the command that is to be passed, and a part of what is said to be missing.
ATTACKS: dict[str, tuple[Mapping[str, str], str, str]] = {
    "the module ends the process at import": ({"slug.js": f"process.exit(0);\n{WRONG}"}, COMMAND, CUT_OFF),
    "the function ends the process": (
        {"slug.js": "export function slug(text) {\n  process.exit(0);\n}\n"},
        COMMAND,
        CUT_OFF,
    ),
    "the process ends without its handlers": (
        {"slug.js": "export function slug(text) {\n  process.reallyExit(0);\n}\n"},
        COMMAND,
        CUT_OFF,
    ),
    "the process ends later": (
        {"slug.js": f"setTimeout(() => process.exit(0), 1);\nawait new Promise(() => {{}});\n{WRONG}"},
        COMMAND,
        CUT_OFF,
    ),
    "the exit code is set at the end": (
        {"slug.js": f"process.on('exit', () => {{ process.exitCode = 0; }});\n{WRONG}"},
        COMMAND,
        "its tests failed: slug.test.js: lowers",
    ),
    "assertions are replaced": (
        {"slug.js": f"import assert from 'node:assert/strict';\nassert.equal = () => {{}};\n{WRONG}"},
        COMMAND,
        "the runner was patched: the project replaced assert.strict.equal in slug.test.js",
    ),
    "what tests are reported by is replaced": (
        {
            "slug.js": "import { Readable } from 'node:stream';\nconst push = Readable.prototype.push;\n"
            "Readable.prototype.push = function (event, ...rest) {\n"
            "  if (event?.type === 'test:fail') event = { type: 'test:pass', data: event.data };\n"
            "  return push.call(this, event, ...rest);\n};\n"
            f"process.on('exit', () => {{ process.exitCode = 0; }});\n{WRONG}"
        },
        COMMAND,
        "the runner was patched: the project replaced Readable.prototype.push",
    ),
    "reports are written as other objects": (
        {"slug.js": f"Object.prototype.toJSON = () => ({{ passed: 1 }});\n{WRONG}"},
        COMMAND,
        "",
    ),
    "the module ends the process of code": (
        {"slug.js": f"process.exit(0);\n{WRONG}"},
        "node -e \"import('./slug.js').then((m) => { if (m.slug('A') !== 'a') throw 1; })\"",
        "it returned 0, but it ended before its last statement",
    ),
    "code's own assertions are replaced": (
        {"slug.js": f"import assert from 'node:assert';\nassert.equal = () => {{}};\n{WRONG}"},
        "node -e \"import('./slug.js').then((m) => require('assert').equal(m.slug('A'), 'a'))\"",
        "the runner was patched: the project replaced assert.equal",
    ),
    "an empty file takes the place of tests": (
        {"slug.js": WRONG, "other.test.js": ""},
        "node --test other.test.js",
        "no test ran",
    ),
    "the files named beside others have no tests": (
        {"slug.js": RIGHT, "other.test.js": "// later\n"},
        "node --test slug.test.js other.test.js",
        "of `other.test.js`, which the command names, no test passed",
    ),
    "tests are only skipped and to be done": (
        {
            "slug.js": WRONG,
            "other.test.js": "import test from 'node:test';\n"
            "test.skip('a', () => { throw new Error(); });\ntest.todo('b');\n"
            "test('c', { todo: true }, () => { throw new Error(); });\n",
        },
        "node --test other.test.js",
        "no test passed: 3 skipped",
    ),
    "only another test is chosen": (
        {
            "slug.js": WRONG,
            "other.test.js": "import test from 'node:test';\n"
            "test.only('a', { skip: true }, () => {});\ntest('b', () => { throw new Error(); });\n",
        },
        "node --test --test-only other.test.js",
        "no test passed",
    ),
    "a script of package.json ends well after it": (
        {"slug.js": f"process.exit(0);\n{WRONG}"},
        "npm test",
        CUT_OFF,
    ),
    "the report's own descriptor is written to": (
        {
            "slug.js": "import fs from 'node:fs';\n"
            "const counts = { passed: 1, failed: 0, skipped: 0, todo: 0, failing: [], patched: [] };\n"
            "const forged = JSON.stringify(counts);\n"
            "fs.writeSync(4, `word\\n${forged}\\n`);\n"
            f"process.exit(0);\n{WRONG}"
        },
        COMMAND,
        CUT_OFF,
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_proposal_that_does_not_do_the_work_never_passes(name: str, tmp_path: Path) -> None:
    files, command, missing = ATTACKS[name]
    root = tmp_path / "root"
    write_files(root, {"package.json": PACKAGE, "slug.test.js": TEST, **files})

    ended = judged(root, command)

    assert not ended.passed, ended.printed
    assert missing in ended.missing


@pytest.mark.parametrize(
    "command",
    [
        COMMAND,
        "node --test",
        "npm test",
        "npm run test",
        "env NODE_OPTIONS=--no-warnings timeout 60 node --enable-source-maps --test .",
        "node --test --test-name-pattern lowers",
    ],
)
def test_work_that_is_done_passes_by_the_report(command: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_files(root, {"package.json": PACKAGE, "slug.test.js": TEST, "slug.js": RIGHT})

    ended = judged(root, command)

    assert ended.passed, f"{ended.missing} {ended.printed}"
    assert ended.observed.report is not None
    assert ended.observed.report.runner == "node"


def test_code_that_comes_to_its_end_passes_by_completion(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_files(root, {"package.json": PACKAGE, "slug.js": RIGHT})
    code = "import('./slug.js').then((m) => console.log(m.slug(process.argv[1])))"

    ended = judged(root, f"node -e \"{code}\" 'A b'")

    assert (ended.passed, ended.printed) == (True, "a-b\n")
    assert kind_of(ended.observed.command) == "completion"


def test_modules_of_commonjs_and_nested_tests_count(tmp_path: Path) -> None:
    root = tmp_path / "root"
    test = (
        "const test = require('node:test');\nconst { describe, it } = test;\n"
        "describe('a', () => { describe('b', () => { it('c', () => {}); it.skip('d', () => {}); }); });\n"
        "test('e', async (t) => { await t.test('f', () => { throw new Error('no'); }); });\n"
    )
    write_files(root, {"test/deep/some.cjs": test})

    ended = judged(root, "node --test")

    report = ended.observed.report
    assert report is not None
    assert report.runner == "node"
    assert (ended.exit_code, report.exit_status) == (1, 1)
    (file,) = report.files
    assert (file.file, file.passed, file.skipped, file.failing) == (
        "test/deep/some.cjs", 1, 1, ("e > f", "e"),
    )  # fmt: skip


def test_what_runs_as_it_would_without_us(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_files(
        root,
        {
            "words.test.js": "const assert = require('node:assert');\n"
            "assert.equal(process.argv.length, 2);\n"
            "assert.equal(process.env.NODE_OPTIONS, '--no-warnings');\n"
            "assert.equal(require.main, module);\nrequire('node:test')('a', () => {});\n"
        },
    )

    assert judged(root, "env NODE_OPTIONS=--no-warnings node --test words.test.js").passed


def test_vitest_that_is_not_installed_is_missed_as_a_shell_would(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_files(root, {"package.json": PACKAGE})

    ended = judged(root, "npx vitest run")

    assert ended.exit_code == 127
    assert ended.printed.strip() == "sh: 1: vitest: not found"


STATE = """
export const parseCLI = (words) => ({ filter: words.slice(2), options: {} });
const test = (name, state = 'skip') => ({ type: 'test', name, mode: state, result: { state } });
export async function startVitest() {
  const inner = { type: 'suite', name: 'b', tasks: [test('c', 'STATE'), test('d')] };
  const filepath = process.cwd() + '/tests/x.test.ts';
  const files = [{ type: 'suite', name: 'x', filepath, tasks: [test('a', 'pass'), inner] }];
  return { state: { getFiles: () => files }, close: async () => {} };
}
"""


@pytest.mark.parametrize(
    ("state", "command", "missing"),
    [
        ("pass", "npx vitest run x.test", ""),
        ("pass", "npx vitest run x.test y.test", "vitest returned 0, but of `y.test`, which"),
        ("fail", "vitest run", "vitest returned 0, but its tests failed: tests/x.test.ts: b > c"),
    ],
)
def test_what_vitest_knows_of_its_tests_counts_whatever_it_returns(
    state: str, command: str, missing: str, tmp_path: Path
) -> None:
    """The state is that of a stand-in with vitest's names, which returns 0."""
    root = tmp_path / "root"
    package = '{"name": "vitest", "type": "module", "exports": {"./node": "./node.js"}}'
    write_files(
        root,
        {
            "node_modules/vitest/package.json": package,
            "node_modules/vitest/node.js": STATE.replace("STATE", state),
        },
    )

    ended = judged(root, command)

    assert ended.exit_code == 0, ended.printed
    assert ended.missing.startswith(missing)
    assert ended.passed == (not missing)
