"""JavaScript as the Python that means the same, so that one set of rules judges the code of both.

What has no counterpart becomes a call of something unknown. A file that is loaded keeps its path, with `./`
in front: `require('./src/slug')` becomes an import of `./src/slug`. The code is parsed, never run.
"""

import ast
import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from factory.languages.trees.tree import parse, text
from factory.languages.typescript.grammar import javascript
from factory.languages.typescript.imports import BUILT_IN

if TYPE_CHECKING:
    from tree_sitter import Node

_OPEN: Final = "_javascript"
"""Stands for what Python has no counterpart of."""

_WRITTEN: Final = "javascript"
"""The attribute that holds what a node was read from."""

_CALLS: Final = {
    "Date.now": "time.time",
    "JSON.parse": "json.loads",
    "JSON.stringify": "json.dumps",
    "Math.random": "random.random",
    "console.error": "print",
    "console.log": "print",
    "crypto.randomBytes": "os.urandom",
    "crypto.randomUUID": "uuid.uuid4",
    "fetch": "urllib.request.urlopen",
    "fs.existsSync": "os.path.exists",
    "fs.readdirSync": "os.listdir",
    "os.homedir": "pathlib.Path.home",
    "os.hostname": "socket.gethostname",
    "os.userInfo": "getpass.getuser",
    "performance.now": "time.perf_counter",
    "process.chdir": "os.chdir",
    "process.exit": "sys.exit",
}
_READING: Final = frozenset({"fs.promises.readFile", "fs.readFile", "fs.readFileSync"})
_WRITING: Final = frozenset(
    {"fs.appendFileSync", "fs.promises.writeFile", "fs.writeFile", "fs.writeFileSync"}
)
_STARTING: Final = re.compile(r"child_process\.(?:exec|spawn)\w*")
_GLOBAL: Final = frozenset({"Date", "JSON", "Math", "Object", "console", "fetch", "performance", "process"})
_EQUALITIES: Final = frozenset({"deepEqual", "deepStrictEqual", "equal", "strictEqual"})
_DIFFERENCES: Final = frozenset({"notDeepEqual", "notDeepStrictEqual", "notEqual", "notStrictEqual"})
_FUNCTIONS: Final = ("arrow_function", "function_expression", "generator_function")
_COMPARISONS: Final[dict[str, type[ast.cmpop]]] = {
    "!=": ast.NotEq, "!==": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, "==": ast.Eq, "===": ast.Eq,
    ">": ast.Gt, ">=": ast.GtE,
}  # fmt: skip
_OPERATORS: Final[dict[str, type[ast.operator]]] = {
    "%": ast.Mod, "*": ast.Mult, "**": ast.Pow, "+": ast.Add, "-": ast.Sub, "/": ast.Div,
}  # fmt: skip
_ESCAPES: Final = {"0": "\0", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def written_as(node: ast.stmt | ast.expr) -> str:
    """The JavaScript that a statement or an expression was read from; empty for one of Python."""
    written = getattr(node, _WRITTEN, "")
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
        return _Translation(directory).module(tree.root)
    except RecursionError:
        return None


class _Translation:
    """Turns statements and expressions into those of Python, and keeps what names stand for."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._names: dict[str, str] = {}
        """For each name of a module of Node, or of something in it, that: `fs`, `assert.equal`."""
        self._local: set[str] = set()
        """The names that stand for something else."""
        self._needed: dict[str, None] = {}
        """The modules of Python that stand for those of Node."""
        self._hoisted: dict[str, str] = {}
        """The names of modules of the repository that an expression loads."""

    def module(self, root: "Node") -> ast.Module:
        body = self._block(root)
        imports: list[ast.stmt] = [_import(name) for name in self._needed]
        imports += [_import(module, name) for module, name in self._hoisted.items()]
        return ast.fix_missing_locations(ast.Module([*imports, *body], []))

    def _block(self, node: "Node | None") -> list[ast.stmt]:
        if node is None:
            return []
        parts = node.named_children if node.type in ("program", "statement_block") else [node]
        statements = []
        for part in parts:
            for made in self._statement(part):
                setattr(made, _WRITTEN, getattr(made, _WRITTEN, text(part)))
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
                yield ast.Raise(_unknown(self._all(node.named_children)))
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
                items = self._expression(field("right"))
                yield ast.For(ast.Name(_OPEN, ast.Store()), items, self._body(field("body")), [])
            case "for_statement" | "while_statement" | "do_statement":
                yield ast.While(_unknown([]), self._body(field("body")), [])
            case "function_declaration" | "generator_function_declaration" | "class_declaration":
                name = text(field("name"))
                yield _defined(name, self._body(field("body")))
            case "return_statement":
                yield ast.Expr(_unknown(self._all(node.named_children)))
            case "statement_block":
                yield from self._block(node)
            case _:
                yield ast.Expr(_unknown(self._all(node.named_children)))

    def _imported(self, node: "Node") -> Iterator[ast.stmt]:
        specifier = _string(node.child_by_field_name("source"))
        builtin, module = _builtin(specifier), self._module(specifier)
        if module:
            self._hoist(module)
        for clause in (child for child in node.named_children if child.type == "import_clause"):
            for part in clause.named_children:
                names = [part] if part.type == "identifier" else part.named_children
                for name in names:
                    inner = name.child_by_field_name("name")
                    alias = text(name.child_by_field_name("alias") or inner or name)
                    if builtin:
                        self._names[alias] = f"{builtin}.{text(inner)}" if inner is not None else builtin
                    elif module and part.type == "identifier":
                        yield ast.ImportFrom(module, [ast.alias("default", alias)], 0)
                    elif module and inner is not None:
                        yield ast.ImportFrom(module, [ast.alias(text(inner), alias)], 0)
                    elif module and part.type == "namespace_import":
                        yield _import(module, alias)
                    else:
                        yield _assign(alias, _package())

    def _bound(self, name: "Node | None", value: "Node | None") -> Iterator[ast.stmt]:
        if name is None or value is None:
            return
        specifier = self._loaded(value)
        builtin, module = _builtin(specifier), self._module(specifier)
        if name.type == "identifier":
            if builtin:
                self._names[text(name)] = builtin
            elif module:
                yield _import(module, text(name))
            else:
                self._local.add(text(name))
                yield _assign(text(name), self._expression(value))
            return
        pairs = list(_destructured(name))
        if module and pairs:
            yield ast.ImportFrom(module, [ast.alias(inner, outer) for inner, outer in pairs], 0)
        elif builtin:
            self._names.update({outer: f"{builtin}.{inner}" for inner, outer in pairs})
        elif name.type == "object_pattern" and pairs:
            made = self._expression(value)
            yield from (_assign(outer, ast.Attribute(made, inner, ast.Load())) for inner, outer in pairs)
        else:
            yield ast.Expr(self._expression(value))
            yield from (_assign(text(part), _unknown([])) for part in name.named_children)

    def _acts(self, node: "Node") -> Iterator[ast.stmt]:
        """The statements that an expression comes to which stands alone."""
        node = _plain(node)
        if node.type == "assignment_expression":
            target = "".join(text(node.child_by_field_name("left")).split())
            value = self._expression(node.child_by_field_name("right"))
            exits = target == "process.exitCode"
            yield ast.Expr(self._call("sys.exit", [value])) if exits else ast.Expr(_unknown([value]))
            return
        if node.type != "call_expression":
            yield ast.Expr(self._expression(node))
            return
        function, given = _plain(node.child_by_field_name("function")), _given(node)
        name = self._dotted(function)
        if function.type in _FUNCTIONS and not given:
            yield from self._block(function.child_by_field_name("body"))
        elif name == "assert" or name.startswith("assert."):
            yield from self._asserts(name.removeprefix("assert").strip("."), given)
        elif function.type == "member_expression":
            yield from self._chain(node, function, given)
        else:
            yield ast.Expr(self._expression(node))

    def _chain(self, node: "Node", function: "Node", given: "Sequence[Node]") -> Iterator[ast.stmt]:
        """The statements of `….then(…)`, `….catch(…)` and `….finally(…)`, as if they were awaited."""
        before = function.child_by_field_name("object")
        method = text(function.child_by_field_name("property"))
        inner = given[0] if given and given[0].type in _FUNCTIONS else None
        if before is None or inner is None or method not in ("catch", "finally", "then"):
            yield ast.Expr(self._expression(node))
            return
        body = inner.child_by_field_name("body")
        statements = self._block(body) if body is not None and body.type == "statement_block" else []
        if method == "then":
            taken = inner.child_by_field_name("parameter") or inner.child_by_field_name("parameters")
            if taken is not None and taken.type == "formal_parameters":
                taken = taken.named_children[0] if taken.named_children else None
            if taken is None:
                yield ast.Expr(self._expression(before))
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
        values = self._all(given[:2])
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
            yield ast.Raise(_unknown([]))
        else:
            yield ast.Assert(_unknown(values))

    def _body_of(self, node: "Node") -> list[ast.stmt]:
        """The statements of a function that is handed over, or of what is handed over itself."""
        body = node.child_by_field_name("body") if node.type in _FUNCTIONS else node
        if body is not None and body.type == "statement_block":
            return self._body(body)
        return list(self._acts(body)) if body is not None else [ast.Pass()]

    def _if(self, node: "Node") -> Iterator[ast.stmt]:
        test = self._expression(node.child_by_field_name("condition"))
        body = self._body(node.child_by_field_name("consequence"))
        other = node.child_by_field_name("alternative")
        orelse = [made for part in other.named_children for made in self._block(part)] if other else []
        if not orelse and _fails(body[-1]):
            yield ast.Assert(_negated(test))
        else:
            yield ast.If(test, body, orelse)

    def _all(self, nodes: "Sequence[Node]") -> list[ast.expr]:
        return [self._expression(node) for node in nodes if node.type != "comment"]

    def _expression(self, node: "Node | None") -> ast.expr:
        if node is None:
            return _unknown([])
        made = self._translated(_plain(node))
        setattr(made, _WRITTEN, text(node))
        return made

    def _translated(self, node: "Node") -> ast.expr:
        field = node.child_by_field_name
        match node.type:
            case "string":
                return ast.Constant(_string(node))
            case "template_string" if not any(part.type == "template_substitution" for part in node.children):
                return ast.Constant(_string(node))
            case "number":
                return _number(text(node))
            case "true" | "false" | "null" | "undefined":
                return ast.Constant({"true": True, "false": False}.get(node.type))
            case "regex":
                return _unknown([])
            case "array":
                return ast.List(self._all(node.named_children), ast.Load())
            case "object":
                return self._object(node)
            case "spread_element":
                return ast.Starred(self._expression(node.named_children[0]), ast.Load())
            case "identifier":
                return ast.Name(text(node), ast.Load())
            case "await_expression":
                return self._expression(node.named_children[0])
            case "binary_expression":
                return self._binary(node)
            case "unary_expression":
                return self._unary(text(field("operator")), self._expression(field("argument")))
            case "ternary_expression":
                parts = [
                    self._expression(field(name)) for name in ("condition", "consequence", "alternative")
                ]
                return ast.IfExp(*parts)
            case "member_expression":
                return self._member(node)
            case "subscript_expression":
                index = self._expression(field("index"))
                return ast.Subscript(self._expression(field("object")), index, ast.Load())
            case "new_expression":
                return self._new(node)
            case "call_expression":
                return self._called(node)
            case kind if kind in _FUNCTIONS:
                return self._lambda(node)
            case _:
                return _unknown(self._all(node.named_children))

    def _object(self, node: "Node") -> ast.expr:
        keys: list[ast.expr | None] = []
        values: list[ast.expr] = []
        for child in node.named_children:
            if child.type == "pair":
                key = child.child_by_field_name("key")
                is_name = key is not None and key.type in ("property_identifier", "identifier")
                keys.append(ast.Constant(text(key)) if is_name else self._expression(key))
                values.append(self._expression(child.child_by_field_name("value")))
            elif child.type == "shorthand_property_identifier":
                keys.append(ast.Constant(text(child)))
                values.append(ast.Name(text(child), ast.Load()))
            elif child.type != "comment":
                keys.append(None)
                values.append(_unknown(self._all(child.named_children)))
        return ast.Dict(keys, values)

    def _binary(self, node: "Node") -> ast.expr:
        operator = text(node.child_by_field_name("operator"))
        left = self._expression(node.child_by_field_name("left"))
        right = self._expression(node.child_by_field_name("right"))
        if operator in _COMPARISONS:
            return ast.Compare(left, [_COMPARISONS[operator]()], [right])
        if operator in ("&&", "||"):
            return ast.BoolOp(ast.And() if operator == "&&" else ast.Or(), [left, right])
        if operator in _OPERATORS:
            return ast.BinOp(left, _OPERATORS[operator](), right)
        return _unknown([left, right])

    def _unary(self, operator: str, value: ast.expr) -> ast.expr:
        match operator:
            case "!":
                return ast.UnaryOp(ast.Not(), value)
            case "-" | "+":
                return ast.UnaryOp(ast.USub() if operator == "-" else ast.UAdd(), value)
            case "typeof":
                return ast.Call(ast.Name("type", ast.Load()), [value], [])
            case _:
                return _unknown([value])

    def _member(self, node: "Node") -> ast.expr:
        name = self._dotted(node)
        owner, attribute = node.child_by_field_name("object"), text(node.child_by_field_name("property"))
        if name.startswith("process.env."):
            self._needed["os"] = None
            return ast.Subscript(_name("os.environ"), ast.Constant(attribute), ast.Load())
        if name == "process.pid":
            return self._call("os.getpid", [])
        if name == "process.execPath":
            return ast.Constant("node")
        value = self._expression(owner)
        if attribute == "length":
            return ast.Call(ast.Name("len", ast.Load()), [value], [])
        return ast.Attribute(value, attribute, ast.Load())

    def _new(self, node: "Node") -> ast.expr:
        made, given = node.child_by_field_name("constructor"), self._all(_given(node))
        if text(made) == "Date" and not given:
            return self._call("datetime.datetime.now", [])
        return ast.Call(self._expression(made), given, [])

    def _called(self, node: "Node") -> ast.expr:
        function, given = _plain(node.child_by_field_name("function")), _given(node)
        loaded = self._loaded(node)
        module = self._module(loaded)
        if module:
            return ast.Name(self._hoist(module), ast.Load())
        if loaded:
            return ast.Constant(loaded) if _builtin(loaded) else _package()
        name = self._dotted(function)
        values = self._all(given)
        if name in _CALLS:
            return self._call(_CALLS[name], values)
        if name in _READING or name in _WRITING:
            is_read = name in _READING
            opened = ast.Call(
                ast.Name("open", ast.Load()), [*values[:1], *([] if is_read else [ast.Constant("w")])], []
            )
            method = ast.Attribute(opened, "read" if is_read else "write", ast.Load())
            return ast.Call(method, [] if is_read else values[1:2], [])
        if _STARTING.fullmatch(name) and values:
            first, rest = values[0], values[1] if len(values) > 1 else None
            words = [first, *rest.elts] if isinstance(rest, ast.List) else None
            started = ast.List(words, ast.Load()) if words is not None else first
            return self._call("subprocess.run", [started])
        if name in ("Object.entries", "Object.keys", "Object.values") and values:
            return _keys(name, values[0], is_module=self._is_module(given[0]))
        if function.type == "member_expression":
            return self._method(function, values)
        return ast.Call(self._expression(function), values, [])

    def _method(self, function: "Node", values: list[ast.expr]) -> ast.expr:
        owner = self._expression(function.child_by_field_name("object"))
        method = text(function.child_by_field_name("property"))
        if method in ("sort", "toSorted") and not values:
            return ast.Call(ast.Name("sorted", ast.Load()), [owner], [])
        if method == "includes" and len(values) == 1:
            return ast.Compare(values[0], [ast.In()], [owner])
        return ast.Call(ast.Attribute(owner, method, ast.Load()), values, [])

    def _lambda(self, node: "Node") -> ast.expr:
        body = node.child_by_field_name("body")
        if body is None or body.type != "statement_block":
            return ast.Lambda(_no_arguments(), self._expression(body))
        return ast.Lambda(_no_arguments(), _unknown([]))

    def _call(self, name: str, given: list[ast.expr]) -> ast.expr:
        module = name.rpartition(".")[0]
        module = {"datetime.datetime": "datetime", "os.path": "os", "pathlib.Path": "pathlib"}.get(
            module, module
        )
        if module:
            self._needed[module] = None
        return ast.Call(_name(name), given, [])

    def _dotted(self, node: "Node | None") -> str:
        """The name of something of Node, with that of its module; empty for anything else."""
        names: list[str] = []
        while node is not None and node.type == "member_expression":
            names.append(text(node.child_by_field_name("property")))
            node = _plain(node.child_by_field_name("object"))
        if node is None:
            return ""
        if node.type == "call_expression":
            first = _builtin(self._loaded(node))
        else:
            name = text(node) if node.type == "identifier" else ""
            # Code that Node evaluates finds its modules without loading them.
            is_known = name in _GLOBAL or (name in BUILT_IN and name not in self._local)
            first = self._names.get(name, name if is_known else "")
        return ".".join([first, *reversed(names)]) if first else ""

    def _loaded(self, node: "Node") -> str:
        """The module that `require('…')` or `await import('…')` loads; empty for anything else."""
        node = _plain(node)
        if node.type == "await_expression":
            node = _plain(node.named_children[0])
        if node.type != "call_expression":
            return ""
        function, given = node.child_by_field_name("function"), _given(node)
        is_loading = text(function) in ("import", "require")
        return _string(given[0]) if is_loading and given and given[0].type == "string" else ""

    def _module(self, specifier: str) -> str:
        """The file of the repository that a specifier names, with `./` in front; empty for others."""
        if not specifier.startswith("."):
            return ""
        path = posixpath.normpath(posixpath.join(self._directory, specifier))
        return "" if path.startswith("..") else f"./{path}"

    def _hoist(self, module: str) -> str:
        return self._hoisted.setdefault(module, f"{_OPEN}_{len(self._hoisted)}")

    def _is_module(self, node: "Node") -> bool:
        return bool(self._module(self._loaded(node))) or node.type == "identifier"


def _keys(name: str, value: ast.expr, *, is_module: bool) -> ast.expr:
    """What an object holds; of something that may be a module, its names."""
    if name == "Object.keys" and is_module:
        return ast.Call(ast.Name("dir", ast.Load()), [value], [])
    return ast.Call(ast.Attribute(value, name.partition(".")[2], ast.Load()), [], [])


def _builtin(specifier: str) -> str:
    """The module of Node that a specifier names, as it is written here; empty for others."""
    name = specifier.removeprefix("node:")
    name = {"assert/strict": "assert", "fs/promises": "fs.promises"}.get(name, name)
    is_known = name.replace(".", "/") in BUILT_IN or specifier.startswith("node:")
    return name if is_known or name == "fs.promises" else ""


def _plain(node: "Node | None") -> "Node":
    """What brackets hold."""
    assert node is not None
    while node.type == "parenthesized_expression" and node.named_children:
        node = node.named_children[0]
    return node


def _given(node: "Node") -> "list[Node]":
    arguments = node.child_by_field_name("arguments")
    children = arguments.named_children if arguments is not None else []
    return [child for child in children if child.type != "comment"]


def _destructured(pattern: "Node") -> Iterator[tuple[str, str]]:
    """The names that a pattern takes out of an object, each with that under which it is known then."""
    if pattern.type != "object_pattern":
        return
    for child in pattern.named_children:
        if child.type == "shorthand_property_identifier_pattern":
            yield text(child), text(child)
        elif child.type == "pair_pattern":
            value = child.child_by_field_name("value")
            if value is not None and value.type == "identifier":
                yield text(child.child_by_field_name("key")), text(value)


def _string(node: "Node | None") -> str:
    if node is None or node.type not in ("string", "template_string"):
        return ""
    parts = [
        text(part) if part.type == "string_fragment" else _escape(text(part)) for part in node.named_children
    ]
    return "".join(parts)


def _escape(written: str) -> str:
    code = re.fullmatch(r"\\(?:u\{?|x)([0-9a-fA-F]{1,6})\}?", written)
    if code is not None and int(code[1], 16) < 0xD800:
        return chr(int(code[1], 16))
    return _ESCAPES.get(written[1:], "" if written[1:] == "\n" else written[1:])


def _number(written: str) -> ast.expr:
    plain = written.replace("_", "").rstrip("n")
    try:
        return ast.Constant(int(plain, 0) if re.fullmatch(r"0[xXoObB]\w+|\d+", plain) else float(plain))
    except ValueError:
        return _unknown([])


def _name(dotted: str) -> ast.expr:
    first, *rest = dotted.split(".")
    made: ast.expr = ast.Name(first, ast.Load())
    for part in rest:
        made = ast.Attribute(made, part, ast.Load())
    return made


def _unknown(given: list[ast.expr]) -> ast.expr:
    return ast.Call(ast.Name(_OPEN, ast.Load()), given, [])


def _package() -> ast.expr:
    """An installed package."""
    return ast.Call(ast.Name("__import__", ast.Load()), [], [])


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _import(module: str, name: str | None = None) -> ast.stmt:
    return ast.Import([ast.alias(module, name)])


def _defined(name: str, body: list[ast.stmt]) -> ast.stmt:
    return ast.FunctionDef(name, _no_arguments(), body, [])


def _no_arguments() -> ast.arguments:
    return ast.arguments([], [], None, [], [], None, [])


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
