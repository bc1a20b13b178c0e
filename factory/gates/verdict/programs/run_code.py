"""Runs the text of `python -c`, and reports when its last statement has ended."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from factory.gates.verdict.programs.begin import OWN_NAME, begin, name_words, take_place
    from factory.gates.verdict.programs.to_its_end import run_to_its_end
    from factory.gates.verdict.programs.unchanged import remember

_ONLY_AST = 0x0400
_FUTURES = 0x1FF0000


def run() -> None:
    import _ast

    hand_over, searched, (code, *words) = begin()
    name_words("-c", code, *words)
    sys.argv[:] = ["-c", *words]
    replaced = remember()
    take_place("", searched)
    names = sys.modules["__main__"].__dict__
    is_last, last = False, None
    if sys.version_info >= (3, 14) and code[:1].isspace():
        # Since then the interpreter does so.
        import textwrap

        code = textwrap.dedent(code)

    def execute() -> None:
        nonlocal is_last, last
        body = compile(code + "\n", "<string>", "exec", _ONLY_AST, dont_inherit=True).body
        last = body[-1] if body else None
        first = compile(_ast.Module(body[:-1], []), "<string>", "exec", dont_inherit=True)
        futures = first.co_flags & _FUTURES
        second = compile(_ast.Module(body[-1:], []), "<string>", "exec", futures, dont_inherit=True)
        exec(first, names)
        is_last = True
        exec(second, names)

    run_to_its_end(execute, hand_over, replaced, lambda: is_last and not _holds_assertion(last))


def _holds_assertion(node: object) -> bool:
    """Whether a statement is, or has in it, an assertion that an exit would pass over."""
    import _ast

    if isinstance(node, _ast.Assert):
        return True
    inner = [getattr(node, name, None) for name in getattr(node, "_fields", ())]
    nodes = [part for parts in inner for part in (parts if isinstance(parts, list) else [parts])]
    return any(_holds_assertion(part) for part in nodes if isinstance(part, _ast.AST))


if __name__ == OWN_NAME:
    run()
