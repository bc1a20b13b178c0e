"""What code demands of every value of a range or a list, and which values follow from it and a known one.

`for n in range(1, 4000): assert parse(write(n)) == n` says nothing of any one value; with `write(5) == 'V'`
it demands that `parse('V')` is 5.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factory.plans.commands.code.claims import MAX_NODES, Claim, claim_of
from factory.plans.commands.code.uses import imported_places


@dataclass(frozen=True)
class Property:
    """An equation that holds for each value of a variable.

    Attributes:
        text: as it is written.
        variable: its name.
        values: what the variable can be.
        left: one side.
        right: the other one.
        places: what imported names stand for.
    """

    text: str
    variable: str
    values: Sequence[object]
    left: ast.expr
    right: ast.expr
    places: dict[str, tuple[str, str]]


def properties(tree: ast.Module) -> tuple[Property, ...]:
    """The equations that code asserts in a loop, or of all in a generator, over what it spells out."""
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        return ()
    places = imported_places(tree)
    found: list[Property] = []
    for statement in tree.body:
        match statement:
            case ast.Import() | ast.ImportFrom():
                continue
            case ast.For(target=ast.Name(id=name), iter=source, body=body, orelse=[]):
                tests = [inner.test for inner in body if isinstance(inner, ast.Assert)]
                if len(tests) == len(body):
                    found += _of(name, source, tests, places)
            case ast.Assert(
                test=ast.Call(
                    func=ast.Name(id="all"),
                    args=[
                        ast.GeneratorExp(
                            elt=test,
                            generators=[
                                ast.comprehension(target=ast.Name(id=name), iter=source, ifs=[], is_async=0)
                            ],
                        )
                    ],
                )
            ):
                found += _of(name, source, [test], places)
            case ast.Assert():
                continue
            case _:
                break
    return tuple(found)


def derived(known: Claim, held: Property) -> Iterator[Claim]:
    """The values that follow from a known one and an equation, with what both are computed from."""
    call = ast.parse(known.expression, mode="eval").body
    if not isinstance(call, ast.Call) or "{" in known.value:
        return
    value = ast.parse(known.value, mode="eval").body
    for argument in call.args:
        if not isinstance(argument, ast.Constant) or not _is_among(argument.value, held.values):
            continue
        for one, other in ((held.left, held.right), (held.right, held.left)):
            claim = claim_of(
                _with(one, held.variable, argument),
                _with(other, held.variable, argument),
                held.places,
                {known.expression: value},
            )
            if claim is not None and claim.expression != known.expression:
                modules = tuple(dict.fromkeys((*claim.modules, *known.modules)))
                yield Claim(claim.expression, claim.value, modules, (*claim.files, *known.files))


def _of(
    name: str, source: ast.expr, tests: list[ast.expr], places: dict[str, tuple[str, str]]
) -> Iterator[Property]:
    values = _values(source)
    for test in tests:
        match test:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]) if values:
                yield Property(ast.unparse(test), name, values, left, right, places)


def _values(source: ast.expr) -> Sequence[object]:
    """What is gone through, where it is spelled out; nothing otherwise."""
    try:
        match source:
            case ast.Call(func=ast.Name(id="range"), args=args, keywords=[]):
                return range(*map(ast.literal_eval, args))
            case ast.List() | ast.Tuple():
                spelled: Sequence[object] = ast.literal_eval(source)
                return spelled
    except (ValueError, TypeError, OverflowError, RecursionError):
        pass
    return ()


def _is_among(value: object, values: Sequence[object]) -> bool:
    """Whether it is one of them, of the same kind: 1 is not True."""
    if isinstance(values, range):
        return type(value) is int and value in values
    return any(type(value) is type(other) and value == other for other in values)


def _with(side: ast.expr, variable: str, argument: ast.Constant) -> ast.expr:
    class Given(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return argument if node.id == variable else node

    given: ast.expr = Given().visit(ast.parse(ast.unparse(side), mode="eval").body)
    return given
