"""TypeScript's symbols as a plan writes them in `provides` and `consumes`. Pure.

| symbol | written |
|---|---|
| function, also an arrow function | `src/slug.ts:slugify(text: string, max?: number): string` |
| with parameters that are types | `src/list.ts:first<T>(items: T[]): T | undefined` |
| class, interface, type, enumeration | `src/slug.ts:Slugger` |
| method | `src/slug.ts:Slugger.next(text: string): string` |
| static method | `src/slug.ts:static Slugger.of(text: string): Slugger` |
| constructor | `src/slug.ts:Slugger.constructor(options: Options)` |
| constant, property, accessor | `src/slug.ts:LIMIT: number`, `src/slug.ts:Options.max?: number` |
| default export | `src/slug.ts:default(text: string): string` |

Types and their number and order bind, names of parameters don't; how a type is spelled is of no account, see
`types`. What a promise leaves out is open. `async`, `export`, `function`, `const`, `class` and the like may
stand in front of the name and say nothing. In JavaScript nothing is typed, and callers may leave out any
parameter, so only their number binds.
"""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from factory.languages.port import BadSymbol, NameAlone
from factory.languages.trees.declared import ANY, Declared, Head, split
from factory.languages.trees.tree import parse, walk
from factory.languages.typescript.declaration import INFERRED, PRIMITIVES, as_type, declared
from factory.languages.typescript.grammar import is_typed, typescript
from factory.languages.typescript.types import TooDeep

if TYPE_CHECKING:
    from tree_sitter import Node

FORMS: Final = (
    "write `src/file.ts:name(text: string, max?: number): string`, `src/file.ts:Type`, "
    "`src/file.ts:Type.method(text: string): string` or `src/file.ts:NAME: number`"
)
_WORDS: Final = (
    "export", "default", "declare", "async", "abstract", "function", "const", "let", "class", "interface",
    "type", "enum", "get", "readonly", "static",
)  # fmt: skip
_CAPITAL: Final = re.compile(r"[_$]*[A-Z]")
_MOST_NODES: Final = 500


def parse_symbol(written: str) -> Declared:
    """Read the written form of a symbol.

    Raises:
        NameAlone: the text is only the name of one that is no type.
        BadSymbol: the text is not one.
    """
    head = split(written, _WORDS, FORMS)
    made = _declared(head)
    is_static = "static " in head.before and "." in head.name
    return replace(made, before="static " if is_static else "")


def keeps(defined: Declared, promised: Declared) -> bool:
    """Whether what is there is what was promised, wherever it is; what is open fits anything."""
    if "unknown" in (defined.kind, promised.kind):
        return True
    if promised.kind == "named":
        return defined.kind != "function"
    if promised.kind == "type" or defined.kind == "type":
        return promised.kind == defined.kind
    if defined.before != promised.before:
        return False
    if promised.kind == "function" and defined.kind == "function":
        return _keeps_function(defined, promised)
    if promised.kind == "function":
        # A constant of a type that has a name, or of none, may be a function.
        return defined.result not in PRIMITIVES and not defined.result.startswith(("{", "[", "Array<", '"'))
    if defined.kind == "function":
        is_named = promised.result not in PRIMITIVES and "=>" not in promised.result
        return is_named or as_type(defined) == promised.result
    if defined.form == INFERRED:
        # Only a type that a literal plainly doesn't have is told apart.
        return promised.result not in PRIMITIVES or promised.result == defined.result
    if is_typed(defined.module) and defined.form != promised.form:
        return False
    return ANY in (defined.result, promised.result) or defined.result == promised.result


def stands_alone(name: str) -> bool:
    """Whether a name alone, without parameters and type, is a symbol: a type begins with a capital letter."""
    return name == "default" or _CAPITAL.match(name.rpartition(".")[2]) is not None


def _keeps_function(defined: Declared, promised: Declared) -> bool:
    if len(defined.parameters) != len(promised.parameters):
        return False
    if is_typed(defined.module) and defined.form != promised.form:
        return False
    mine, others = (defined.result, *defined.parameters), (promised.result, *promised.parameters)
    return all(ANY in (one, other) or one == other for one, other in zip(mine, others, strict=True))


def _declared(head: Head) -> Declared:
    rest = head.rest
    if not rest:
        if not stands_alone(head.name):
            raise NameAlone(
                Declared(head.module, head.name, "unknown"),
                "is a name alone, which stands for a type: a function needs its parameters, a constant its"
                " type",
                where=head.name,
                hint=FORMS,
            )
        return Declared(head.module, head.name, "named")
    if rest.startswith(("(", "<")):
        node = _parsed(f"declare function f{rest};", "function_signature", rest)
    elif rest.startswith((":", "?:")):
        node = _parsed(f"interface I {{ x{rest}; }}", "property_signature", rest)
        if "=>" not in rest and "." not in head.name and rest.startswith("?"):
            raise BadSymbol("is optional and no member", where=rest, hint=FORMS)
    else:
        raise BadSymbol("goes on after the name with neither `(` nor `:`", where=rest[:80], hint=FORMS)
    try:
        return declared(head.module, head.name, node)
    except TooDeep as error:
        raise BadSymbol("is nested too deeply", where=rest[:40], hint="give the types names") from error


def _parsed(code: str, kind: str, rest: str) -> "Node":
    """The declaration that a code is, and nothing else."""
    tree = parse(typescript, code.encode("utf-8"))
    if tree.root is None or tree.problem:
        raise BadSymbol("has a signature that is not valid TypeScript", where=rest[:80], hint=FORMS)
    nodes = list(walk(tree.root))
    if len(nodes) > _MOST_NODES:
        raise BadSymbol("has a signature that is too large", where=rest[:40], hint="give the types names")
    node = next((node for node in nodes if node.type == kind), None)
    # Anything behind the signature would be another statement or member.
    around = node.parent if node is not None else None
    alone = tree.root.named_child_count == 1 and around is not None and around.named_child_count == 1
    if node is None or not alone or any(inner.type in ("comment", "statement_block") for inner in nodes):
        raise BadSymbol("goes on after the signature", where=rest[:80], hint=FORMS)
    return node
