"""JavaScript read as Python."""

import ast

import pytest

from factory.languages.typescript.translation.code import in_python, written_as


def said(code: str, directory: str = "") -> str:
    tree = in_python(code, directory)
    assert tree is not None
    return ast.unparse(tree)


@pytest.mark.parametrize(
    ("code", "python"),
    [
        (
            (
                "const {a, b: c} = require('./src/x'); const assert = require('node:assert'); "
                "assert.strictEqual(a('q'), \"w\"); if (c(1) !== 2) { console.error('no'); "
                "process.exit(1); }"
            ),
            "\n".join(
                (
                    "import sys",
                    "from ./src/x import a as a, b as c",
                    "assert a('q') == 'w'",
                    "assert c(1) == 2",
                )
            ),
        ),
        (
            (
                "import { slug } from '../slug.mjs'; import assert from 'node:assert/strict'; "
                "assert.deepEqual(slug(['a', null]), {a: 1, 'b': -2.5, c: true})"
            ),
            "\n".join(
                (
                    "import ./slug.mjs as _javascript_0",
                    "from ./slug.mjs import slug as slug",
                    "assert slug(['a', None]) == {'a': 1, 'b': -2.5, 'c': True}",
                )
            ),
        ),
        (
            (
                "import('./x.js').then(({f}) => { "
                "if (!f(1)) throw new Error('x') }).catch(() => process.exit(1))"
            ),
            "\n".join(("import sys", "from ./x.js import f as f", "assert f(1)")),
        ),
        (
            "import('./x.js').then(m => assert(m.f()))",
            "\n".join(("import ./x.js as m", "assert m.f()")),
        ),
        (
            "(async () => { const m = await import('./x.js'); process.exitCode = m.f() === 3 ? 0 : 1; })()",
            "\n".join(("import sys", "import ./x.js as m", "sys.exit(0 if m.f() == 3 else 1)")),
        ),
        (
            (
                "const r = require('child_process').spawnSync(process.execPath, ['cli.js', 'a.txt']); "
                "require('assert').equal(r.status, 0)"
            ),
            "\n".join(
                (
                    "import subprocess",
                    "r = subprocess.run(['node', 'cli.js', 'a.txt'])",
                    "assert r.status == 0",
                )
            ),
        ),
        (
            "const fs = require('fs'); if (fs.readFileSync('a/b.txt', 'utf8').length < 3) throw 1",
            "assert not len(open('a/b.txt').read()) < 3",
        ),
        (
            (
                "const x = require('./x'); const s = new x.Slug(2); s.next(`t`); Math.random(); "
                "new Date(); Date.now()"
            ),
            "\n".join(
                (
                    "import random",
                    "import datetime",
                    "import time",
                    "import ./x as x",
                    "s = x.Slug(2)",
                    "s.next('t')",
                    "random.random()",
                    "datetime.datetime.now()",
                    "time.time()",
                )
            ),
        ),
        (
            "try { f() } catch {}",
            "\n".join(("try:", "    f()", "except:", "    pass")),
        ),
        (
            "f('\\u0041\\n\\'')",
            'f("A\\n\'")',
        ),
        (
            "f(0x1f, 1_000, 10n, 1.5e3, /a/, 1 + 2, [...x], a?.b, a ?? b)",
            "f(31, 1000, 10, 1500.0, _javascript(), 1 + 2, [*x], a.b, _javascript(a, b))",
        ),
        (
            "const {readFile} = require('fs/promises'), [p, q] = f(), {z} = g(); p(z)",
            "\n".join(("f()", "p = _javascript()", "q = _javascript()", "z = g().z", "p(z)")),
        ),
        (
            "import z from 'zod'; z.parse(1)",
            "\n".join(("z = __import__()", "z.parse(1)")),
        ),
        (
            "for (const x of xs) f(x); while (1) f()",
            "\n".join(("for _javascript in xs:", "    f(x)", "while _javascript():", "    f()")),
        ),
        (
            "function f() { return 1 } class A {}",
            "\n".join(("def f():", "    _javascript(1)", "", "def A():", "    _javascript()")),
        ),
    ],
)
def test_what_it_means_in_python(code: str, python: str) -> None:
    directory = "lib" if "'../" in code else ""
    assert said(code, directory) == python


def test_the_assertions_of_node() -> None:
    body = said(
        "const assert = require('assert'); assert.ok(f(1)); assert.notEqual(f(1), 2);"
        " assert.throws(() => f(0), /no/); assert.doesNotThrow(() => f(2)); assert.fail();"
        " assert.match(f(), /a/)"
    )
    assert body == (
        "assert f(1)\nassert f(1) != 2\nwith raises():\n    f(0)\nf(2)\nraise _javascript()\n"
        "assert _javascript(f(), _javascript())"
    )


def test_what_cannot_be_read() -> None:
    assert in_python("const = (", "") is None
    assert in_python("(" * 5_000 + ")" * 5_000, "") is None
    assert in_python("import x from '../../far.js'; x()", "lib") is not None


def test_names_that_python_can_not_have_can_be_read_again() -> None:
    code = said("import {a as $in} from './a.js'; const π = $in.class; $in(π).is; function def() {}")
    assert ast.parse(code.replace("./a.js", "a"))
    assert "π = ___in__.__class__" in code


def test_an_expression_knows_how_it_was_written() -> None:
    tree = in_python("f(1) === 2", "")
    assert tree is not None
    (statement,) = tree.body
    assert isinstance(statement, ast.Expr)
    assert written_as(statement.value) == "f(1) === 2"
    assert written_as(ast.parse("1", mode="eval").body) == ""
