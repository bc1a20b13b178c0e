"""A work order in JavaScript from proposal to commit: what is refused, and what its mutants tell."""

import shutil
from pathlib import Path

import pytest

from tests.support.answers import a_proposal
from tests.support.repositories import git, make_repo
from tests.support.runs import Scene, read_object

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed"),
]

FILES = {
    "package.json": '{"name": "slugs", "type": "module", "private": true}\n',
    "src/words.js": "export function words(text) {\n  return text.split(/\\s+/).filter(Boolean);\n}\n",
    "test/words.test.js": (
        "import assert from 'node:assert/strict';\nimport test from 'node:test';\n"
        "import { words } from '../src/words.js';\n"
        "test('splits', () => { assert.deepEqual(words(' a  b'), ['a', 'b']); });\n"
    ),
}
SLUG = (
    "import { words } from './words.js';\n\n"
    "export function slugify(text, max = 80) {\n"
    "  if (max < 1) {\n    throw new RangeError('max');\n  }\n"
    "  return words(text.toLowerCase()).join('-').slice(0, max);\n}\n"
)
TEST = (
    "import assert from 'node:assert/strict';\nimport test from 'node:test';\n"
    "import { slugify } from '../src/slug.js';\n"
    "test('joins', () => { assert.equal(slugify('A  b'), 'a-b'); });\n"
    "test('cuts', () => { assert.equal(slugify('x'.repeat(99)).length, 80); });\n"
    "test('refuses', () => { assert.throws(() => slugify('a', 0)); assert.equal(slugify('ab', 1), 'a'); });\n"
)
ORDER = {
    "allowed_files": ["src/slug.js", "test/slug.test.js"],
    "acceptance_commands": ["node --test test/slug.test.js"],
    "postconditions": [],
    "provides": ["src/slug.js:slugify(text: string, max?: number): string"],
    "consumes": ["src/words.js:words(text)"],
}


def scene(tmp_path: Path, *slugs: str) -> Scene:
    proposals = [a_proposal({"src/slug.js": slug, "test/slug.test.js": TEST}) for slug in slugs]
    return Scene(make_repo(tmp_path / "repo", FILES), proposals, **ORDER)


def test_work_that_is_done_lands_by_report_and_its_mutants_are_noticed(tmp_path: Path) -> None:
    run = scene(tmp_path, SLUG)

    finished = run.run(red_probe=True, mutants=5)

    assert finished.ending.exit_code == 0, run.progress
    assert "Verdict: report" in git(run.repo, "log", "-1", "--format=%B")
    (proof,) = run.out.glob("*/attempt_1/kill_proof.json")
    fates = read_object(proof)["fates"]
    assert isinstance(fates, list)
    assert len(fates) > 3
    assert all("acceptance" in fate["noticed_by"] for fate in fates)


REFUSED = {
    f"process.exit(0);\n{SLUG}": "these files did not run to their end: test/slug.test.js",
    SLUG.replace("slugify", "slugified"): "it does not export `slugify`",
    SLUG.replace(", max = 80", ""): "the file defines `src/slug.js:slugify(text)`",
}


def test_work_that_is_not_as_promised_is_refused(tmp_path: Path) -> None:
    run = scene(tmp_path, *REFUSED, SLUG)

    finished = run.run(mutants=0, max_attempts=len(REFUSED) + 1)

    assert finished.ending.exit_code == 0
    assert run.asked == len(REFUSED) + 1
    failed = [line for line in run.progress if " failed" in line]
    assert len(failed) == len(REFUSED), run.progress
    assert [said for said, line in zip(REFUSED.values(), failed, strict=True) if said not in line] == []
