"""Expressions of JavaScript as those of Python."""

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from factory.languages.trees.tree import text
from factory.languages.typescript.translation.names import OPEN, Names, node_module
from factory.languages.typescript.translation.nodes import arguments_of, plain, string

if TYPE_CHECKING:
    from tree_sitter import Node

WRITTEN: Final = "javascript"
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
FUNCTIONS: Final = ("arrow_function", "function_expression", "generator_function")
_COMPARISONS: Final[dict[str, type[ast.cmpop]]] = {
    "!=": ast.NotEq, "!==": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, "==": ast.Eq, "===": ast.Eq,
    ">": ast.Gt, ">=": ast.GtE,
}  # fmt: skip
_OPERATORS: Final[dict[str, type[ast.operator]]] = {
    "%": ast.Mod, "*": ast.Mult, "**": ast.Pow, "+": ast.Add, "-": ast.Sub, "/": ast.Div,
}  # fmt: skip


class Expressions:
    """Turns expressions into those of Python.

    Args:
        names: what names stand for.
    """

    def __init__(self, names: Names) -> None:
        self._names = names

    def all(self, nodes: "Sequence[Node]") -> list[ast.expr]:
        """Several expressions; comments between them are none."""
        return [self.one(node) for node in nodes if node.type != "comment"]

    def one(self, node: "Node | None") -> ast.expr:
        """An expression, which keeps how it is written; of nothing something unknown."""
        if node is None:
            return unknown([])
        made = self._translated(plain(node))
        setattr(made, WRITTEN, text(node))
        return made

    def _translated(self, node: "Node") -> ast.expr:
        field = node.child_by_field_name
        match node.type:
            case "string":
                return ast.Constant(string(node))
            case "template_string" if not any(part.type == "template_substitution" for part in node.children):
                return ast.Constant(string(node))
            case "number":
                return _number(text(node))
            case "true" | "false" | "null" | "undefined":
                return ast.Constant({"true": True, "false": False}.get(node.type))
            case "regex":
                return unknown([])
            case "array":
                return ast.List(self.all(node.named_children), ast.Load())
            case "object":
                return self._object(node)
            case "spread_element":
                return ast.Starred(self.one(node.named_children[0]), ast.Load())
            case "identifier":
                return ast.Name(text(node), ast.Load())
            case "await_expression":
                return self.one(node.named_children[0])
            case "binary_expression":
                return self._binary(node)
            case "unary_expression":
                return self._unary(text(field("operator")), self.one(field("argument")))
            case "ternary_expression":
                parts = [self.one(field(name)) for name in ("condition", "consequence", "alternative")]
                return ast.IfExp(*parts)
            case "member_expression":
                return self._member(node)
            case "subscript_expression":
                index = self.one(field("index"))
                return ast.Subscript(self.one(field("object")), index, ast.Load())
            case "new_expression":
                return self._new(node)
            case "call_expression":
                return self._called(node)
            case kind if kind in FUNCTIONS:
                return self._lambda(node)
            case _:
                return unknown(self.all(node.named_children))

    def _object(self, node: "Node") -> ast.expr:
        keys: list[ast.expr | None] = []
        values: list[ast.expr] = []
        for child in node.named_children:
            if child.type == "pair":
                key = child.child_by_field_name("key")
                is_name = key is not None and key.type in ("property_identifier", "identifier")
                keys.append(ast.Constant(text(key)) if is_name else self.one(key))
                values.append(self.one(child.child_by_field_name("value")))
            elif child.type == "shorthand_property_identifier":
                keys.append(ast.Constant(text(child)))
                values.append(ast.Name(text(child), ast.Load()))
            elif child.type != "comment":
                keys.append(None)
                values.append(unknown(self.all(child.named_children)))
        return ast.Dict(keys, values)

    def _binary(self, node: "Node") -> ast.expr:
        operator = text(node.child_by_field_name("operator"))
        left = self.one(node.child_by_field_name("left"))
        right = self.one(node.child_by_field_name("right"))
        if operator in _COMPARISONS:
            return ast.Compare(left, [_COMPARISONS[operator]()], [right])
        if operator in ("&&", "||"):
            return ast.BoolOp(ast.And() if operator == "&&" else ast.Or(), [left, right])
        if operator in _OPERATORS:
            return ast.BinOp(left, _OPERATORS[operator](), right)
        return unknown([left, right])

    def _unary(self, operator: str, value: ast.expr) -> ast.expr:
        match operator:
            case "!":
                return ast.UnaryOp(ast.Not(), value)
            case "-" | "+":
                return ast.UnaryOp(ast.USub() if operator == "-" else ast.UAdd(), value)
            case "typeof":
                return ast.Call(ast.Name("type", ast.Load()), [value], [])
            case _:
                return unknown([value])

    def _member(self, node: "Node") -> ast.expr:
        name = self._names.dotted(node)
        owner, attribute = node.child_by_field_name("object"), text(node.child_by_field_name("property"))
        if name.startswith("process.env."):
            self._names.needed["os"] = None
            return ast.Subscript(dotted_name("os.environ"), ast.Constant(attribute), ast.Load())
        if name == "process.pid":
            return self.call("os.getpid", [])
        if name == "process.execPath":
            return ast.Constant("node")
        value = self.one(owner)
        if attribute == "length":
            return ast.Call(ast.Name("len", ast.Load()), [value], [])
        return ast.Attribute(value, attribute, ast.Load())

    def _new(self, node: "Node") -> ast.expr:
        made, given = node.child_by_field_name("constructor"), self.all(arguments_of(node))
        if text(made) == "Date" and not given:
            return self.call("datetime.datetime.now", [])
        return ast.Call(self.one(made), given, [])

    def _called(self, node: "Node") -> ast.expr:
        function, given = plain(node.child_by_field_name("function")), arguments_of(node)
        loaded = self._names.loaded(node)
        module = self._names.module(loaded)
        if module:
            return ast.Name(self._names.hoist(module), ast.Load())
        if loaded:
            return ast.Constant(loaded) if node_module(loaded) else package()
        name = self._names.dotted(function)
        values = self.all(given)
        if name in _CALLS:
            return self.call(_CALLS[name], values)
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
            goes_on = name.rpartition(".")[2] in ("fork", "spawn")
            made = self.call("subprocess.Popen" if goes_on else "subprocess.run", [started])
            if isinstance(made, ast.Call) and "exec" in name:
                made.keywords.append(ast.keyword("check", ast.Constant(True)))
            return made
        if name in ("Object.entries", "Object.keys", "Object.values") and values:
            return _keys(name, values[0], is_module=self._names.is_module(given[0]))
        if function.type == "member_expression":
            return self._method(function, values)
        return ast.Call(self.one(function), values, [])

    def _method(self, function: "Node", values: list[ast.expr]) -> ast.expr:
        owner = self.one(function.child_by_field_name("object"))
        method = text(function.child_by_field_name("property"))
        if method in ("sort", "toSorted") and not values:
            return ast.Call(ast.Name("sorted", ast.Load()), [owner], [])
        if method == "includes" and len(values) == 1:
            return ast.Compare(values[0], [ast.In()], [owner])
        return ast.Call(ast.Attribute(owner, method, ast.Load()), values, [])

    def _lambda(self, node: "Node") -> ast.expr:
        body = node.child_by_field_name("body")
        if body is None or body.type != "statement_block":
            return ast.Lambda(no_arguments(), self.one(body))
        return ast.Lambda(no_arguments(), unknown([]))

    def call(self, name: str, given: list[ast.expr]) -> ast.expr:
        """A call of something of Python's own, whose module is needed then."""
        module = name.rpartition(".")[0]
        module = {"datetime.datetime": "datetime", "os.path": "os", "pathlib.Path": "pathlib"}.get(
            module, module
        )
        if module:
            self._names.needed[module] = None
        return ast.Call(dotted_name(name), given, [])


def _keys(name: str, value: ast.expr, *, is_module: bool) -> ast.expr:
    """What an object holds; of something that may be a module, its names."""
    if name == "Object.keys" and is_module:
        return ast.Call(ast.Name("dir", ast.Load()), [value], [])
    return ast.Call(ast.Attribute(value, name.partition(".")[2], ast.Load()), [], [])


def _number(written: str) -> ast.expr:
    plain = written.replace("_", "").rstrip("n")
    try:
        return ast.Constant(int(plain, 0) if re.fullmatch(r"0[xXoObB]\w+|\d+", plain) else float(plain))
    except ValueError:
        return unknown([])


def dotted_name(dotted: str) -> ast.expr:
    first, *rest = dotted.split(".")
    made: ast.expr = ast.Name(first, ast.Load())
    for part in rest:
        made = ast.Attribute(made, part, ast.Load())
    return made


def unknown(given: list[ast.expr]) -> ast.expr:
    return ast.Call(ast.Name(OPEN, ast.Load()), given, [])


def package() -> ast.expr:
    """An installed package."""
    return ast.Call(ast.Name("__import__", ast.Load()), [], [])


def no_arguments() -> ast.arguments:
    return ast.arguments([], [], None, [], [], None, [])
