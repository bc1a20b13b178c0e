"""What Python code asserts that holds whatever its values are.

Runs nothing, and leans towards silence: what an operator of a class may decide otherwise can fail.
"""

import ast
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from factory.plans.commands.python_code import dotted, text_of

_BUILTINS: Final = frozenset({"isinstance", "issubclass", "len", "object"})
_OPERATIONS: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], object]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: operator.contains(right, left),
    ast.NotIn: lambda left, right: not operator.contains(right, left),
}
_MIRRORED: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}


@dataclass(frozen=True)
class Bindings:
    """What the names of a piece of code stand for.

    Attributes:
        values: what those are that are assigned once and by nothing else.
        functions: those that code defines once, which it may not call.
        own: the functions and types of Python itself whose names the code gives to nothing of its own.
    """

    values: Mapping[str, ast.expr]
    functions: frozenset[str]
    own: frozenset[str]

    @classmethod
    def of(cls, tree: ast.Module) -> "Bindings":
        """Those of some code."""
        bound = Counter(_bound(tree))
        values = {
            node.targets[0].id: node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
        }
        once = {name: value for name, value in values.items() if bound[name] == 1}
        defined = [
            node.name
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list
        ]
        functions = frozenset(name for name in defined if bound[name] == 1)
        return cls(once, functions, _BUILTINS - bound.keys() if "*" not in bound else frozenset())

    def is_always_true(self, test: ast.expr) -> bool:
        """Whether an expression is true in every case in which it has a value."""
        match test:
            case ast.Constant():
                return bool(test.value)
            case ast.Name() if test.id in self.functions:
                return True
            case ast.Name():
                # What it stands for may be another name, but no longer a list: that may be empty by now.
                value = self.values.get(test.id)
                return isinstance(value, ast.Tuple | ast.Lambda | ast.Constant) and self.is_always_true(value)
            case ast.Tuple() | ast.List() | ast.Set():
                return any(not isinstance(element, ast.Starred) for element in test.elts)
            case ast.Dict():
                return any(key is not None for key in test.keys)
            case ast.Lambda() | ast.GeneratorExp():
                return True
            case ast.UnaryOp(op=ast.Not()):
                return self._is_always_false(test.operand)
            case ast.BoolOp(op=ast.And()):
                return all(map(self.is_always_true, test.values))
            case ast.BoolOp():
                written = {text_of(value) for value in test.values} - {""}
                return any(
                    self.is_always_true(value) or text_of(_opposite(value)) in written
                    for value in test.values
                )
            case ast.Compare():
                pairs = zip((test.left, *test.comparators), test.ops, test.comparators, strict=False)
                return all(self._is_known(*pair) is True for pair in pairs)
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass" as name), args=[_, kind], keywords=[]):
                kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
                made = (
                    self.values.get(test.args[0].id) if isinstance(test.args[0], ast.Name) else test.args[0]
                )
                if isinstance(made, ast.Call) and name == "isinstance" and name in self.own:
                    # A call of what is named like a class makes one of it.
                    called = dotted(made.func)
                    if called.rpartition(".")[2][:1].isupper() and any(
                        dotted(one) == called for one in kinds
                    ):
                        return True
                return {name, "object"} <= self.own and any(dotted(one) == "object" for one in kinds)
            case _:
                return False

    def _is_always_false(self, test: ast.expr) -> bool:
        match test:
            case ast.Constant():
                return not test.value
            case ast.Tuple(elts=[]) | ast.List(elts=[]) | ast.Dict(keys=[]):
                return True
            case ast.UnaryOp(op=ast.Not()):
                return self.is_always_true(test.operand)
            case ast.BoolOp(op=ast.And()):
                return any(map(self._is_always_false, test.values))
            case ast.BoolOp():
                return all(map(self._is_always_false, test.values))
            case ast.Compare(ops=[comparison], comparators=[right]):
                return self._is_known(test.left, comparison, right) is False
            case _:
                return False

    def _is_known(self, left: ast.expr, comparison: ast.cmpop, right: ast.expr) -> bool | None:
        """What a comparison says whatever the values are; None if they decide."""
        if isinstance(comparison, ast.In | ast.NotIn) and isinstance(right, ast.List | ast.Tuple | ast.Set):
            if any(_is_same_thing(left, element) for element in right.elts):
                return isinstance(comparison, ast.In)
        elif isinstance(comparison, ast.Is | ast.IsNot):
            return isinstance(comparison, ast.Is) if _is_same_thing(left, right) else None
        known = _compared(left, comparison, right)
        if known is None and (mirrored := _MIRRORED.get(type(comparison))) is not None:
            known = self._of_length(left, comparison, right)
            return known if known is not None else self._of_length(right, mirrored(), left)
        return known

    def _of_length(self, left: ast.expr, comparison: ast.cmpop, right: ast.expr) -> bool | None:
        """What a comparison of a length says, which is never negative."""
        if isinstance(left, ast.Name):
            left = self.values.get(left.id, left)
        if not (isinstance(left, ast.Call) and dotted(left.func) == "len" and "len" in self.own):
            return None
        try:
            limit = ast.literal_eval(right)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
        if not isinstance(limit, int | float):
            return None
        match comparison:
            case ast.GtE() | ast.Lt() if limit <= 0:
                return isinstance(comparison, ast.GtE)
            case ast.Gt() | ast.NotEq() | ast.LtE() | ast.Eq() if limit < 0:
                return isinstance(comparison, ast.Gt | ast.NotEq)
            case _:
                return None


def _bound(tree: ast.Module) -> Iterator[str]:
    """Each name that code gives to something, as often as it does."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                yield node.id
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.alias():
                yield (node.asname or node.name).partition(".")[0]
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
            case _:
                pass


def _compared(left: ast.expr, comparison: ast.cmpop, right: ast.expr) -> bool | None:
    """What a comparison of two literals says."""
    operation = _OPERATIONS.get(type(comparison))
    if operation is None:
        return None
    try:
        return bool(operation(ast.literal_eval(left), ast.literal_eval(right)))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _is_same_thing(first: ast.expr, second: ast.expr) -> bool:
    """Whether both are the same object: one name."""
    return isinstance(first, ast.Name) and isinstance(second, ast.Name) and first.id == second.id


def _opposite(test: ast.expr) -> ast.expr:
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return test.operand
        case ast.Compare(ops=[ast.Eq()]):
            return ast.Compare(test.left, [ast.NotEq()], test.comparators)
        case ast.Compare(ops=[ast.In()]):
            return ast.Compare(test.left, [ast.NotIn()], test.comparators)
        case ast.Compare(ops=[ast.Is()]):
            return ast.Compare(test.left, [ast.IsNot()], test.comparators)
        case _:
            return ast.UnaryOp(ast.Not(), test)
