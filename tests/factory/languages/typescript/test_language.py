"""TypeScript and JavaScript as the port asks for them: outlines, imports, mutants, marks, verification."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.languages.table import language_of, language_of_symbol
from factory.languages.trees.tree import parse
from factory.languages.typescript.grammar import grammar_of
from factory.languages.typescript.language import TYPESCRIPT
from tests.support.golden import assert_golden

MODULE = """\
#!/usr/bin/env node
'use strict';
import { z } from 'zod';
import type { Config } from '@scope/config/types';
import fs, { readFileSync } from 'fs';
import path from 'node:path';
import { own } from '#own';
import { other } from '@/other';
import { near } from './near.js';

export const LIMIT = 100;
export const Options = z.object({ max: z.number() });
export type Options = z.infer<typeof Options>;
export enum Mode { Strict, Loose = 'loose' }
export interface Result<T> { readonly value?: T; done: boolean; next(count: number): Result<T>; 'odd-key': 1 }

/** Makes a text fit for a URL. */
export function slugify(text: string, max?: number): string {
  if (text.length > LIMIT && max !== undefined) {
    console.log('too long: ' + text.length);
    throw new RangeError(`at most ${LIMIT + 1}` + 'characters');
  }
  const made = text.trim().toLowerCase() || 'empty';
  return max === undefined ? made : made.slice(0, max - 1);
}

export class Slugger extends Map<string, number> {
  #seen = 0;
  static readonly version: string = '1';
  constructor(private readonly max: number, public name = 'slugs') { super(); }
  get size(): number { return this.#seen; }
  next(text: string): string;
  next(text: string, again: boolean): string;
  next(text: string, again = false): string {
    this.#seen += 1;
    logger.info('next', 1);
    return again && !this.has(text) ? slugify(text, this.max) : text;
  }
}

export const { first, second: renamed } = pair;
export default async (input: string): Promise<void> => { await run(input); };
export { near as close };
export * from './more.js';
if (import.meta.url === 'file:///' + process.argv[1]) { run('1' + 2); }
"""

SCRIPT = """\
const get = require('lodash/get');
const { join } = require('path');

function f(a, b = 1, { c }, ...d) {
  return a && b > 1 ? join('x', a) : get(c, 'y') - d.length;
}
class Store { static made = 0; #own; of(x) { return !x; } }
module.exports = { f, Store, join, later() { return import('lazy'); } };
exports.more = (x) => x ** 2;
"""
SOURCES = {"src/slug.ts": MODULE, "lib/store.cjs": SCRIPT}


@pytest.mark.golden
@pytest.mark.parametrize("path", SOURCES)
def test_the_outline_names_what_a_source_exports(path: str) -> None:
    data = SOURCES[path].encode()
    outlined = TYPESCRIPT.outline(path, data)
    summary = TYPESCRIPT.names(path, data)

    assert (outlined.problem, summary.problem) == ("", "")
    assert_golden(f"{path.rpartition('/')[2]}.outline.txt", f"{outlined.text}\n\n{summary.text}")


@pytest.mark.parametrize("path", SOURCES)
def test_every_line_of_an_outline_can_be_promised(path: str) -> None:
    data = SOURCES[path].encode()
    lines = [line for line in TYPESCRIPT.outline(path, data).text.splitlines() if not line.startswith("//")]

    assert len(lines) > 3
    for line in lines:
        symbol = TYPESCRIPT.parse_symbol(line)
        defined = TYPESCRIPT.find(symbol, {path: data}.get).symbols
        assert any(TYPESCRIPT.keeps(each, symbol) for each in defined), line


def test_names_of_tests_are_their_titles() -> None:
    source = (
        "import { it } from 'vitest';\ndescribe('slug', () => { it('lowers', () => {}); it(`x`, f); });\n"
    )

    assert TYPESCRIPT.names("a.test.ts", source.encode()).text == "// a.test.ts, 2 lines\n//   slug, lowers"


def test_packages_are_imported_by_the_names_under_which_they_are_installed() -> None:
    assert TYPESCRIPT.imports("src/slug.ts", MODULE.encode()) == {"zod", "@scope/config"}
    assert TYPESCRIPT.imports("lib/store.cjs", SCRIPT.encode()) == {"lodash", "lazy"}
    more = (
        "export * from 'a/b'; import r = require('c'); require(`d`); require(x); import('https://e.f/g');\n"
    )
    assert TYPESCRIPT.imports("src/a.ts", more.encode()) == {"a", "c", "d"}
    assert TYPESCRIPT.imports("src/a.ts", b"import {") is None


@pytest.mark.golden
@pytest.mark.parametrize("path", SOURCES)
def test_mutants_change_what_tests_should_notice(path: str) -> None:
    source = SOURCES[path]
    made = TYPESCRIPT.mutants(path, source, range(1, 100), limit=1_000)

    listed = [f"{mutant.line} {mutant.operator}: {mutant.description}" for mutant in made]
    assert_golden(f"{path.rpartition('/')[2]}.mutants.txt", "\n".join(listed))
    for mutant in made:
        assert not parse(grammar_of(path), mutant.source.encode()).problem
        changed = [
            number
            for number, (old, new) in enumerate(
                zip(source.splitlines(), mutant.source.splitlines(), strict=False), start=1
            )
            if old != new
        ]
        assert changed[:1] == [mutant.line]


_PARTS = st.sampled_from([
    "a < b", "!a", "f(1, 'x')", "a && b || c", "x as string", "-1", "1n + 2n", "`t${1 + 1}`", "a ?? 0",
    "(y) => y + 1", "{ k: 1 }", "[1, 'two']", "a?.b[0]", "new Map<string, number>()", "typeof a === 'b'",
    "/x+/u.test(a)", "<div a='1' />",
])  # fmt: skip
_STATEMENTS = st.one_of(
    _PARTS.map("f({});".format),
    _PARTS.map("const v = {};".format),
    _PARTS.map("if ({}) {{ a += 1; }} else throw new Error('x');".format),
    _PARTS.map("for (let i = 0; i < 3; i++) a = {};".format),
    _PARTS.map("class A {{ @d('x') p: 1 | 2 = {} as any; }}".format),
    _PARTS.map("export const g = async (x: number = 1) => ({});".format),
    _PARTS.map("label: while (true) {{ break label; a = {} }}".format),
)


@given(st.lists(_STATEMENTS, min_size=1, max_size=4).map("\n".join), st.integers(1, 20))
def test_no_mutant_has_an_error_of_syntax(source: str, limit: int) -> None:
    made = TYPESCRIPT.mutants("src/a.tsx", source, range(1, 10), limit=limit)

    assert len(made) <= limit
    assert len({mutant.source for mutant in made} | {source}) == len(made) + 1
    for mutant in made:
        assert not parse(grammar_of("src/a.tsx"), mutant.source.encode()).problem


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
@pytest.mark.parametrize("path", ["a.mjs", "a.cjs"])
def test_lines_that_are_executed_leave_their_mark(path: str, tmp_path: Path) -> None:
    source = "const f = (a) => {\n  if (a) {\n    return 1;\n  }\n  return 2;\n};\nconsole.log(f(0));\n"
    marks = {line: str(tmp_path / f"line-{line}") for line in (1, 3, 5, 7)}

    marked = TYPESCRIPT.marked(path, source, marks)

    assert marked is not None
    (tmp_path / path).write_text(marked)
    said = subprocess.run(["node", path], cwd=tmp_path, capture_output=True, text=True, check=False)
    if "getBuiltinModule" in said.stderr or not (tmp_path / "line-1").exists():
        version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
        assert tuple(map(int, re.findall(r"\d+", version)[:2])) < (20, 16)
        pytest.skip(f"Node.js {version.strip()} gives modules no way to leave marks")
    assert said.stdout == "2\n"
    assert sorted(place.name for place in tmp_path.glob("line-*")) == ["line-1", "line-5", "line-7"]


def test_what_can_not_be_marked_is_none() -> None:
    assert TYPESCRIPT.marked("a.ts", "const a = {", {1: "/x"}) is None


@pytest.mark.parametrize(
    ("files", "package", "commands"),
    [
        ({"package.json": ""}, {}, []),
        ({"src/a.test.js": ""}, {}, ["node --test"]),
        ({"test/a.cjs": ""}, {}, ["node --test"]),
        ({"node_modules/a/test.js": "", "dist/a.test.js": "", ".x/a.test.js": ""}, {}, []),
        ({"a.test.ts": ""}, {"devDependencies": {"vitest": "^3"}}, ["npx --no-install vitest run"]),
        ({"a.ts": ""}, {"devDependencies": {"vitest": "^3"}}, []),
        (
            {"a.ts": "", "tsconfig.json": "{}", "b.test.ts": ""},
            {"devDependencies": {"typescript": "^5", "tsx": "^4"}},
            ["npx --no-install tsc --noEmit", "node --import tsx --test b.test.ts"],
        ),
        ({"a.d.ts": "", "tsconfig.json": "{}"}, {"dependencies": {"typescript": "^5"}}, []),
        ({"a.ts": "", "tsconfig.json": "{}"}, {}, []),
        ({"a.test.js": ""}, {"devDependencies": {"tsx": "^4"}}, ["node --test"]),
        (
            {"a.test.js": ""},
            {"devDependencies": {"jest": "^30"}, "scripts": {"test": "jest"}},
            ["npm test"],
        ),
        ({"a.test.js": ""}, {"devDependencies": ["vitest"], "scripts": 3}, ["node --test"]),
    ],
)
def test_what_is_declared_verifies(
    files: dict[str, str], package: dict[str, object], commands: list[str]
) -> None:
    texts = {
        **{path: text.encode() for path, text in files.items()},
        "package.json": json.dumps(package).encode(),
    }

    made = TYPESCRIPT.verification(texts.keys(), texts.get)

    assert [" ".join(verification.words) for verification in made] == commands
    assert [verification.tests for verification in made] == ["tsc" not in command for command in commands]


@pytest.mark.parametrize("package", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_package_that_can_not_be_read_declares_nothing(package: bytes) -> None:
    assert TYPESCRIPT.verification(["package.json"], {"package.json": package}.get) == ()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.test.ts", True), ("src/a.spec.tsx", True), ("tests/helper.ts", True), ("test.js", True),
        ("src/__tests__/a.js", True), ("src/slug_test.mjs", True), ("src/test-slug.cjs", True),
        ("src/slug.ts", False), ("src/contest.ts", False), ("src/latest.js", False),
        ("src/testing.ts", False), ("src/spectrum.ts", False),
    ],
)  # fmt: skip
def test_tests_are_told_by_name_and_folder(path: str, expected: bool) -> None:
    assert TYPESCRIPT.is_test(path) is expected


def test_files_and_symbols_are_told_by_the_suffix() -> None:
    for path in ("a.ts", "a.tsx", "a.mts", "a.cts", "a.js", "a.jsx", "a.mjs", "a.cjs", "src/a.test.ts"):
        assert language_of(path) is TYPESCRIPT
        assert language_of_symbol(f"{path}:f(): void") is TYPESCRIPT
    assert language_of("package.json") is None


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
@pytest.mark.parametrize(
    ("files", "code", "printed"),
    [
        ({}, 0, "there are no tests yet"),
        ({"a.test.js": "require('node:test')('a', () => {});\n"}, 0, "pass 1"),
        ({"a.test.js": "require('node:test')('a', () => { throw new Error(); });\n"}, 1, "fail 1"),
    ],
)
def test_the_first_script_verifies(files: dict[str, str], code: int, printed: str, tmp_path: Path) -> None:
    for path, text in {**TYPESCRIPT.starter([]), **files}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)

    said = subprocess.run(
        ["bash", "scripts/verify.sh"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (said.returncode, printed in said.stdout) == (code, True), said.stdout + said.stderr
