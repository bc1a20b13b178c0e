"""Symbols of TypeScript and JavaScript: their written form, what keeps a promise, where they are found."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.languages.port import Address, BadSymbol
from factory.languages.typescript.language import TYPESCRIPT


def found(files: Mapping[str, str], text: str) -> bool | str:
    """Whether some files keep a promise; what is said where they define nothing of it."""
    promised = TYPESCRIPT.parse_symbol(text)
    sources = {path: source.encode() for path, source in files.items()}
    definitions = TYPESCRIPT.find(promised, sources.get)
    if not definitions.symbols:
        return definitions.problem
    return any(TYPESCRIPT.keeps(defined, promised) for defined in definitions.symbols)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("src/a.ts:f( text:string , max? : number ):string", "src/a.ts:f(text:string, max?: number): string"),
        ("src/a.ts: export async function f(a, b = 3)", "src/a.ts:f(a, b?)"),
        ("src/a.ts:class Slugger", "src/a.ts:Slugger"),
        ("src/a.ts:S.constructor(options: Options)", "src/a.ts:S.constructor(options: Options)"),
        ("src/a.ts:static S.of(text: string): S", "src/a.ts:static S.of(text: string): S"),
        ("src/a.ts:const LIMIT: 'a' | \"b\"", "src/a.ts:LIMIT: 'a' | \"b\""),
        ("src/a.ts:O.max?: number", "src/a.ts:O.max?: number"),
        ("src/a.ts:first<T extends {}>(of: T[]): T", "src/a.ts:first<T extends {}>(of: T[]): T"),
        ("src/a.ts:cb: (x: string) => void", "src/a.ts:cb(x: string): void"),
        ("src/a.ts:is(x: unknown): x is string", "src/a.ts:is(x: unknown): x is string"),
        (
            "src/a.ts:f({ a, b }: Options, ...rest: string[])",
            "src/a.ts:f(value1: Options, ...rest: string[])",
        ),
        ("src/a.ts:f(this: Window, x: number): void", "src/a.ts:f(x: number): void"),
        ("src/a.mjs:default(text)", "src/a.mjs:default(text)"),
    ],
)
def test_a_symbol_has_one_canonical_form(written: str, canonical: str) -> None:
    symbol = TYPESCRIPT.parse_symbol(written)

    assert symbol.text == canonical
    assert TYPESCRIPT.parse_symbol(symbol.text) == symbol


@pytest.mark.parametrize(
    "text",
    [
        "", "src/a.ts", "src/a.ts:", "../a.ts:f()", "/a.ts:f()", "src/a.ts:limit", "src/a.ts:f(",
        "src/a.ts:f()->x",
        "src/a.ts:f(): void; g()", "src/a.ts:f(): void {}", "src/a.ts:f() // x", "src/a.ts:LIMIT: number = 3",
        "src/a.ts:LIMIT: number; y: string", "src/a.ts:LIMIT: number }; interface J { x: string",
        "src/a.ts:f(a\n: string)", "src/a.ts:limit?: number", "src/a.ts:f() g", "src/a.ts:1()",
        f"src/a.ts:f(x: {'(' * 100}a{')' * 100})", f"src/a.ts:f({', '.join(f'a{n}: b' for n in range(300))})",
    ],
)  # fmt: skip
def test_what_is_no_symbol_is_refused(text: str) -> None:
    with pytest.raises(BadSymbol):
        TYPESCRIPT.parse_symbol(text)


@given(st.text(alphabet="abT<>()[]{}|&?:;,.='\"` =>*/-x1", max_size=60))
def test_whatever_is_written_is_a_symbol_or_none(rest: str) -> None:
    try:
        symbol = TYPESCRIPT.parse_symbol(f"src/a.ts:f{rest}")
    except BadSymbol:
        return
    assert TYPESCRIPT.parse_symbol(symbol.text) == symbol


_NAMES = st.sampled_from(
    ["string", "number", "boolean", "Options", "T", "'a'", "1", "null", "void", "unknown"]
)
_TYPES = st.recursive(
    _NAMES,
    lambda inner: st.one_of(
        inner.map("{}[]".format).map(lambda kind: kind if " " not in kind else f"({kind[:-2]})[]"),
        inner.map("Array<{}>".format),
        inner.map("readonly ({})[]".format),
        st.tuples(inner, inner).map("({0[0]} | {0[1]})".format),
        st.tuples(inner, inner).map("Map<{0[0]}, {0[1]}>".format),
        st.tuples(inner, inner).map("((x: {0[0]}) => {0[1]})".format),
        st.tuples(inner, inner).map("{{ a: {0[0]}; b?: {0[1]} }}".format),
        st.tuples(inner, inner).map("[{0[0]}, ...{0[1]}[]]".format),
    ),
    max_leaves=6,
)


@given(st.lists(_TYPES, max_size=3), _TYPES)
def test_every_signature_is_read_back_and_keeps_itself(kinds: list[str], result: str) -> None:
    listed = ", ".join(f"p{number}: {kind}" for number, kind in enumerate(kinds))
    symbol = TYPESCRIPT.parse_symbol(f"src/a.ts:f({listed}): {result}")

    assert TYPESCRIPT.parse_symbol(symbol.text) == symbol
    assert found({"src/a.ts": f"export function f({listed}): {result} {{ throw 1 }}\n"}, symbol.text) is True


@pytest.mark.parametrize(
    ("source", "promised"),
    [
        (
            "export function f(text: string, max = 3): string { return text }",
            "f(t: string, n?: number): string",
        ),
        ("export const f = (text: string): string => text", "f(text: string): string"),
        ("export const f = function (text: string) { return text }", "f(text: string): string"),
        ("export const f: (x: string) => void = g", "f(x: string): void"),
        ("export const f: Handler = g", "f(x: string): void"),
        ("export async function f(): Promise<string[]> {}", "f(): Promise<Array<string>>"),
        ("export function f<A>(x: A): A { return x }", "f<T>(x: T): T"),
        ("export function f(x: 'a' | \"b\" | null) {}", "f(x: null | 'b' | 'a'): void"),
        ("export function f(x: { b?: string, a: number }) {}", "f(x: {a: number; b?: string;})"),
        ("export function f(x: ReadonlyArray<(string)>) {}", "f(x: readonly string[])"),
        ("export function f(x?: number | undefined) {}", "f(x?: number)"),
        ("export function f(cb: (a: string) => void) {}", "f(cb: (b: string) => void)"),
        ("export function f({ a, b }: Options) {}", "f(options: Options)"),
        ("export function f(x: string): x is 'a' {}", "f(y: string): y is 'a'"),
        ("export function f(a: string): string;\nexport function f(a: any) {}", "f(a: string): string"),
        ("export declare function f(): void;", "f(): void"),
        ("function f(): void {}\nexport { f as g };", "g(): void"),
        ("export default function f(): void {}", "default(): void"),
        ("const f = (x: string) => x;\nexport default f;", "default(x: string)"),
        ("export class A {}", "A"),
        ("export abstract class A { abstract next(x: string): void }", "A.next(x: string): void"),
        ("export interface A { next(x: string): void; readonly z: number }", "A.z: number"),
        ("export type A = { max?: number }", "A.max?: number"),
        ("export enum E { A, B = 'b' }", "E.A"),
        ("export const A = z.object({});\nexport type A = z.infer<typeof A>;", "A"),
        ("export class A { get size(): number { return 1 } }", "A.size: number"),
        ("export class A { next = (x: string): void => {}; static of(): A {} }", "static A.of(): A"),
        ("export class A { next = (x: string): void => {} }", "A.next(x: string): void"),
        ("export class A { constructor(private x: number, readonly y: string) {} }", "A.y: string"),
        ("export class A { constructor(private x: number) {} }", "A.constructor(x: number)"),
        ("export class A {}", "A.constructor()"),
        ("export const LIMIT = 100;", "LIMIT: number"),
        ("export const LIMIT = 100 as const;", "LIMIT: 100"),
        ("export const api = { get(x: number) {}, max: 3 };", "api.get(x: number)"),
        ("export const api = Object.freeze({ max: 3 } as const);", "api.max: number"),
        ("export function f(a: string) {}", "f(a)"),
        ("export class A<T> { map<U>(x: T, y: U): U }", "A.map<V>(x: T, z: V): V"),
        ("export interface A { f(x: {\n a: 1 // one\n b: 2\n}): void }", "A.f(x: { b: 2; a: 1 }): void"),
    ],
)
def test_a_promise_is_kept(source: str, promised: str) -> None:
    assert found({"src/a.ts": source}, f"src/a.ts:{promised}") is True


@pytest.mark.parametrize(
    ("source", "promised", "said"),
    [
        ("export function f(text: string): string {}", "f(text: number): string", False),
        ("export function f(text: string): string {}", "f(text: string): number", False),
        ("export function f(text: string) {}", "f(text: string, max: number)", False),
        ("export function f(text: string, max: number) {}", "f(text: string, max?: number)", False),
        ("export function f<A, B>(x: A, y: B): A {}", "f<A, B>(x: A, y: B): B", False),
        ("export class F {}", "F(x: string): void", False),
        ("export const f = 3;", "f(): void", False),
        ("export const LIMIT = 3;", "LIMIT: string", False),
        ("export class A { of(): A {} }", "static A.of(): A", False),
        ("export class A { private x(): void {} }", "A.x(): void", "it does not export `A.x`"),
        ("export class A { #x(): void {} }", "A.x(): void", "it does not export `A.x`"),
        ("function f() {}", "f()", "it defines `f` and does not export it"),
        ("export function g() {}", "f()", "it does not export `f`"),
        ("export default function f() {}", "f()", "it defines `f` and does not export it"),
    ],
)
def test_a_promise_is_broken(source: str, promised: str, said: bool | str) -> None:
    assert found({"src/a.ts": source}, f"src/a.ts:{promised}") == said


@pytest.mark.parametrize(
    ("source", "promised"),
    [
        ("export function f(a, b = 1, ...c) {}", "f(a: string, b?: number, ...c: string[]): void"),
        ("export function f(a, b) {}", "f(a: string, b?: number)"),
        ("exports.f = (a) => a;", "f(a: string): string"),
        ("module.exports.f = function (a) {};", "f(a)"),
        ("function f(a) {}\nclass A { m(x) {} }\nmodule.exports = { f, B: A, d() {} };", "B.m(x: number)"),
        ("module.exports = class A {};", "default"),
        ("export class A { static x = 1; m() {} }", "static A.x: number"),
    ],
)
def test_javascript_leaves_types_open(source: str, promised: str) -> None:
    assert found({"src/a.js": source}, f"src/a.js:{promised}") is True


ERROR = (
    "export class HttpError extends Error {\n"
    "  constructor(status) { super(); this.status = status; this.#own = 1; if (status) { this.late = 1; } }\n"
    "}\n"
    "export class Plain { size = 1; constructor() { this.size = 2; this.name = 'a'; other.x = 3; } }\n"
)


@pytest.mark.parametrize(
    ("promised", "said"),
    [
        ("HttpError.status: number", True),
        ("HttpError.late: number", "it may have `HttpError.late` from elsewhere"),
        ("Plain.size: number", True),
        ("Plain.size: string", False),
        ("Plain.name: string", True),
        ("Plain.x: number", "it does not export `Plain.x`"),
    ],
)
def test_what_a_constructor_assigns_is_a_property(promised: str, said: bool | str) -> None:
    assert found({"src/a.js": ERROR}, f"src/a.js:{promised}") == said


BARREL = {
    "src/index.ts": "export * from './slug.js';\nexport { Inner as Outer } from './deep';\n"
    "import d from './deep';\nexport { d as renamed };\nexport * from './index.js';\n",
    "src/slug.ts": "export function slug(text: string): string { return text }\n",
    "src/deep/index.ts": "export class Inner { next(): void {} }\n"
    "export default function (x: number): void {}\n",
}


@pytest.mark.parametrize(
    "promised", ["slug(text: string): string", "Outer", "Outer.next(): void", "renamed(x: number): void"]
)
def test_what_is_exported_again_is_followed(promised: str) -> None:
    assert found(BARREL, f"src/index.ts:{promised}") is True


@pytest.mark.parametrize(
    ("source", "promised"),
    [
        ("export * from 'zod';", "string(): void"),
        ("export { a } from '@/other';", "a(): void"),
        ("export * as all from './gone.js';", "all.x(): void"),
        ("export class A extends B {}", "A.next(): void"),
        ("export type A = z.infer<typeof B>;", "A.max: number"),
        ("export function f( {", "f()"),
        ("module.exports = { ...others };", "f()"),
        ("\x00\xff", "f()"),
    ],
)
def test_where_nothing_is_known_nothing_is_claimed(source: str, promised: str) -> None:
    symbol = TYPESCRIPT.parse_symbol(f"src/a.ts:{promised}")

    definitions = TYPESCRIPT.find(symbol, {"src/a.ts": source.encode()}.get)

    assert not definitions.symbols
    assert not definitions.is_readable
    assert definitions.problem


def test_a_file_that_is_missing_defines_nothing() -> None:
    assert TYPESCRIPT.find(Address("src/a.ts", "f"), {}.get).problem == "there is no such file"


@pytest.mark.parametrize("suffix", ["ts", "tsx", "js"])
@pytest.mark.parametrize(
    "source",
    [
        "(" * 5_000, "export const a = " + "[" * 2_000, f"export type A = {'(' * 5_000}a{')' * 5_000}",
        f"export type A = {'Array<' * 90}a{'>' * 90}; export function f(x: {'(' * 90}a{')' * 90}) {{}}",
        "export * from './a.js';\n" * 500, "`" + "${`" * 1_000, "export function f(x: " + "A<" * 1_000 + "B",
        "class A {" * 500, "\ufeffexport function f() {}", "<a>" * 500, "a\x00b", "export {" * 500,
    ],
)  # fmt: skip
def test_hostile_sources_end_in_a_problem(source: str, suffix: str) -> None:
    data = source.encode()
    path = f"src/a.{suffix}"

    TYPESCRIPT.outline(path, data)
    TYPESCRIPT.names(path, data)
    TYPESCRIPT.imports(path, data)
    TYPESCRIPT.find(Address(path, "f"), {path: data}.get)
    TYPESCRIPT.mutants(path, source, range(1, 100), limit=5)
    TYPESCRIPT.marked(path, source, {1: "/x"})


@given(st.binary(max_size=200))
def test_any_bytes_end_in_a_problem_or_in_names(data: bytes) -> None:
    TYPESCRIPT.outline("src/a.ts", data)
    TYPESCRIPT.find(Address("src/a.ts", "f"), {"src/a.ts": data}.get)
