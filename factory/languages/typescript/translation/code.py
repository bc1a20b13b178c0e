"""A piece of JavaScript as Python: its statements.

What has no counterpart becomes a call of something unknown. A file that is loaded keeps its path, with `./`
in front: `require('./src/slug')` becomes an import of `./src/slug`. The code is parsed, never run.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from keyword import iskeyword
from typing import TYPE_CHECKING, Final

from factory.languages.trees.tree import parse, text
from factory.languages.typescript.grammar import javascript
from factory.languages.typescript.translation.expressions import (
    FUNCTIONS,
    WRITTEN,
    Expressions,
    no_arguments,
    package,
    unknown,
)
from factory.languages.typescript.translation.names import OPEN, Names, node_module
from factory.languages.typescript.translation.nodes import arguments_of, destructured, plain, string

if TYPE_CHECKING:
    from tree_sitter import Node

_EQUALITIES: Final = frozenset({"deepEqual", "deepStrictEqual", "equal", "strictEqual"})
_DIFFERENCES: Final = frozenset({"notDeepEqual", "notDeepStrictEqual", "notEqual", "notStrictEqual"})


def written_as(node: ast.stmt | ast.expr) -> str:
    """The JavaScript that a statement or an expression was read from; empty for one of Python."""
    written = getattr(node, WRITTEN, "")
    return written if isinstance(written, str) else ""


def in_python(code: str, directory: str) -> ast.Module | None:
    """Read JavaScript as Python.

    Args:
        code: its text.
        directory: where it runs, relative to the repository's root.

    Returns:
        The code; None if it can't be read.
    """
    tree = parse(javascript, code.encode("utf-8", "replace"))
    if tree.root is None or tree.problem:
        return None
    try:
        return _Statements(directory).module(tree.root)
    except RecursionError:
        return None


class _Statements:
    """Turns statements into those of Python."""

    def __init__(self, directory: str) -> None:
        self._names = Names(directory)
        self._expressions = Expressions(self._names)

    def module(self, root: "Node") -> ast.Module:
        """All of the code."""
        body = self._block(root)
        imports: list[ast.stmt] = [_import(name) for name in self._names.needed]
        imports += [_import(module, name) for module, name in self._names.hoisted.items()]
        tree = ast.fix_missing_locations(ast.Module([*imports, *body], []))
        _spell(tree)
        return tree

    def _block(self, node: "Node | None") -> list[ast.stmt]:
        if node is None:
            return []
        parts = node.named_children if node.type in ("program", "statement_block") else [node]
        statements = []
        for part in parts:
            for made in self._statement(part):
                setattr(made, WRITTEN, getattr(made, WRITTEN, text(part)))
                statements.append(made)
        return statements

    def _body(self, node: "Node | None") -> list[ast.stmt]:
        return self._block(node) or [ast.Pass()]

    def _statement(self, node: "Node") -> Iterator[ast.stmt]:
        field = node.child_by_field_name
        match node.type:
            case "comment" | "empty_statement":
                return
            case "import_statement":
                yield from self._imported(node)
            case "lexical_declaration" | "variable_declaration":
                for child in node.named_children:
                    yield from self._bound(
                        child.child_by_field_name("name"), child.child_by_field_name("value")
                    )
            case "expression_statement" if node.named_children:
                yield from self._acts(node.named_children[0])
            case "if_statement":
                yield from self._if(node)
            case "throw_statement":
                yield ast.Raise(unknown(self._expressions.all(node.named_children)))
            case "try_statement":
                handler = field("handler")
                body = self._block(handler.child_by_field_name("body")) if handler is not None else []
                handlers = (
                    [ast.ExceptHandler(None, None, body or [ast.Pass()])] if handler is not None else []
                )
                finalizer = field("finalizer")
                final = self._block(finalizer.named_children[0]) if finalizer is not None else []
                final = final or ([] if handlers else [ast.Pass()])
                yield ast.Try(self._body(field("body")), handlers, [], final)
            case "for_in_statement":
                items = self._expressions.one(field("right"))
                yield ast.For(ast.Name(OPEN, ast.Store()), items, self._body(field("body")), [])
            case "for_statement" | "while_statement" | "do_statement":
                yield ast.While(unknown([]), self._body(field("body")), [])
            case "function_declaration" | "generator_function_declaration" | "class_declaration":
                name = text(field("name"))
                yield _defined(name, self._body(field("body")))
            case "return_statement":
                yield ast.Expr(unknown(self._expressions.all(node.named_children)))
            case "statement_block":
                yield from self._block(node)
            case _:
                yield ast.Expr(unknown(self._expressions.all(node.named_children)))

    def _imported(self, node: "Node") -> Iterator[ast.stmt]:
        specifier = string(node.child_by_field_name("source"))
        builtin, module = node_module(specifier), self._names.module(specifier)
        if module:
            self._names.hoist(module)
        for clause in (child for child in node.named_children if child.type == "import_clause"):
            for part in clause.named_children:
                names = [part] if part.type == "identifier" else part.named_children
                for name in names:
                    inner = name.child_by_field_name("name")
                    alias = text(name.child_by_field_name("alias") or inner or name)
                    if builtin:
                        self._names.known[alias] = (
                            f"{builtin}.{text(inner)}" if inner is not None else builtin
                        )
                    elif module and part.type == "identifier":
                        yield ast.ImportFrom(module, [ast.alias("default", alias)], 0)
                    elif module and inner is not None:
                        yield ast.ImportFrom(module, [ast.alias(text(inner), alias)], 0)
                    elif module and part.type == "namespace_import":
                        yield _import(module, alias)
                    else:
                        yield _assign(alias, package())

    def _bound(self, name: "Node | None", value: "Node | None") -> Iterator[ast.stmt]:
        if name is None or value is None:
            return
        specifier = self._names.loaded(value)
        builtin, module = node_module(specifier), self._names.module(specifier)
        if name.type == "identifier":
            if builtin:
                self._names.known[text(name)] = builtin
            elif module:
                yield _import(module, text(name))
            else:
                self._names.local.add(text(name))
                yield _assign(text(name), self._expressions.one(value))
            return
        pairs = list(destructured(name))
        if module and pairs:
            yield ast.ImportFrom(module, [ast.alias(inner, outer) for inner, outer in pairs], 0)
        elif builtin:
            self._names.known.update({outer: f"{builtin}.{inner}" for inner, outer in pairs})
        elif name.type == "object_pattern" and pairs:
            made = self._expressions.one(value)
            yield from (_assign(outer, ast.Attribute(made, inner, ast.Load())) for inner, outer in pairs)
        else:
            yield ast.Expr(self._expressions.one(value))
            yield from (_assign(text(part), unknown([])) for part in name.named_children)

    def _acts(self, node: "Node") -> Iterator[ast.stmt]:
        """The statements that an expression comes to which stands alone."""
        node = plain(node)
        if node.type == "assignment_expression":
            target = "".join(text(node.child_by_field_name("left")).split())
            value = self._expressions.one(node.child_by_field_name("right"))
            exits = target == "process.exitCode"
            yield (
                ast.Expr(self._expressions.call("sys.exit", [value])) if exits else ast.Expr(unknown([value]))
            )
            return
        if node.type != "call_expression":
            yield ast.Expr(self._expressions.one(node))
            return
        function, given = plain(node.child_by_field_name("function")), arguments_of(node)
        name = self._names.dotted(function)
        if function.type in FUNCTIONS and not given:
            yield from self._block(function.child_by_field_name("body"))
        elif name == "assert" or name.startswith("assert."):
            yield from self._asserts(name.removeprefix("assert").strip("."), given)
        elif function.type == "member_expression":
            yield from self._chain(node, function, given)
        else:
            yield ast.Expr(self._expressions.one(node))

    def _chain(self, node: "Node", function: "Node", given: "Sequence[Node]") -> Iterator[ast.stmt]:
        """The statements of `….then(…)`, `….catch(…)` and `….finally(…)`, as if they were awaited."""
        before = function.child_by_field_name("object")
        method = text(function.child_by_field_name("property"))
        inner = given[0] if given and given[0].type in FUNCTIONS else None
        if before is None or inner is None or method not in ("catch", "finally", "then"):
            yield ast.Expr(self._expressions.one(node))
            return
        body = inner.child_by_field_name("body")
        statements = self._block(body) if body is not None and body.type == "statement_block" else []
        if method == "then":
            taken = inner.child_by_field_name("parameter") or inner.child_by_field_name("parameters")
            if taken is not None and taken.type == "formal_parameters":
                taken = taken.named_children[0] if taken.named_children else None
            if taken is None:
                yield ast.Expr(self._expressions.one(before))
            else:
                yield from self._bound(taken, before)
            # Only now its names are known.
            yield from self._block(body) if statements else self._acts(body) if body is not None else ()
            return
        whole = list(self._acts(before))
        statements = self._body_of(inner)
        if method == "catch" and not (statements and _fails(statements[-1])):
            handled = statements or [ast.Pass()]
            yield ast.Try(whole or [ast.Pass()], [ast.ExceptHandler(None, None, handled)], [], [])
        else:
            yield from whole if method == "catch" else (*whole, *statements)

    def _asserts(self, method: str, given: "Sequence[Node]") -> Iterator[ast.stmt]:
        method = method.removeprefix("strict.")
        values = self._expressions.all(given[:2])
        if method in ("", "ok") and given:
            yield ast.Assert(values[0])
        elif method in _EQUALITIES | _DIFFERENCES and len(given) >= 2:
            operator = ast.Eq() if method in _EQUALITIES else ast.NotEq()
            yield ast.Assert(ast.Compare(values[0], [operator], [values[1]]))
        elif method in ("rejects", "throws") and given:
            raises = ast.Call(ast.Name("raises", ast.Load()), [], [])
            yield ast.With([ast.withitem(raises)], self._body_of(given[0]))
        elif method in ("doesNotReject", "doesNotThrow") and given:
            yield from self._body_of(given[0])
        elif method == "fail":
            yield ast.Raise(unknown([]))
        else:
            yield ast.Assert(unknown(values))

    def _body_of(self, node: "Node") -> list[ast.stmt]:
        """The statements of a function that is handed over, or of what is handed over itself."""
        body = node.child_by_field_name("body") if node.type in FUNCTIONS else node
        if body is not None and body.type == "statement_block":
            return self._body(body)
        return list(self._acts(body)) if body is not None else [ast.Pass()]

    def _if(self, node: "Node") -> Iterator[ast.stmt]:
        test = self._expressions.one(node.child_by_field_name("condition"))
        body = self._body(node.child_by_field_name("consequence"))
        other = node.child_by_field_name("alternative")
        orelse = [made for part in other.named_children for made in self._block(part)] if other else []
        if not orelse and _fails(body[-1]):
            yield ast.Assert(_negated(test))
        else:
            yield ast.If(test, body, orelse)


def _spell(tree: ast.Module) -> None:
    """Give names that Python can't have, such as `$x` or `class`, others that nothing looks up."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name):
                node.id = _spelled(name)
            case ast.Attribute(attr=name):
                node.attr = _spelled(name)
            case ast.FunctionDef(name=name):
                node.name = _spelled(name)
            case ast.alias(asname=str(name)):
                node.asname = _spelled(name)


def _spelled(name: str) -> str:
    if name.isidentifier() and not iskeyword(name):
        return name
    return f"__{re.sub(r'[^a-zA-Z0-9_]', '_', name)}__"


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _import(module: str, name: str | None = None) -> ast.stmt:
    return ast.Import([ast.alias(module, name)])


def _defined(name: str, body: list[ast.stmt]) -> ast.stmt:
    return ast.FunctionDef(name, no_arguments(), body, [])


def _fails(statement: ast.stmt) -> bool:
    """Whether a statement ends the program as one that failed."""
    if isinstance(statement, ast.Raise):
        return True
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "exit":
        return False
    return any(isinstance(code, ast.Constant) and bool(code.value) for code in call.args)


def _negated(test: ast.expr) -> ast.expr:
    match test:
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=others):
            return ast.Compare(left, [ast.Eq()], others)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case _:
            return ast.UnaryOp(ast.Not(), test)
