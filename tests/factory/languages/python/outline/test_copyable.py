"""What an outline offers to be copied is read back as what is there, also where a pattern decides it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from factory.languages.port import Address
from factory.languages.python.language import PYTHON

NAMES = st.sampled_from(
    [
        "int",
        "None",
        "List",
        "typing.Dict",
        "Optional",
        "Union",
        "Final",
        "a.b.C",
        "'Later'",
        "1",
        "Literal",
        "...",
    ]
)
DEFAULTS = st.sampled_from(
    ["", " = 1", " = -1.5", " = 'a b'", " = 'é\\n'", " = x.y", " = ()", " = not x", " = 1_0"]
)
SYMBOLS = st.sampled_from(["run", "Run", "RUN", "__init__", "_Run2x", "__call__"])


def _types(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=1, max_size=3).map(", ".join)
    return st.one_of(
        st.tuples(inner, several).map(lambda pair: f"{pair[0]}[{pair[1]}]"),
        st.tuples(inner, inner).map(" | ".join),
        several.map("Callable[[{}], None]".format),
        several.map("Annotated[{}, not x]".format),
        inner.map("dict[str, {}]".format),
    )


TYPES = st.recursive(NAMES, _types, max_leaves=5)
PARAMETERS = st.tuples(st.sampled_from(["", "*", "**"]), TYPES, DEFAULTS)


@settings(deadline=None)
@given(
    name=SYMBOLS,
    first=st.sampled_from(["", "self", "cls", "this"]),
    listed=st.lists(PARAMETERS, max_size=3),
    result=st.one_of(st.just(""), TYPES.map(" -> {}".format)),
    before=st.sampled_from(
        ["", "async ", "@property\n ", "@staticmethod\n ", "@classmethod\n ", "@contextmanager\n "]
    ),
    kind=TYPES,
)
def test_what_can_be_copied_is_read_back(
    name: str, first: str, listed: list[tuple[str, str, str]], result: str, before: str, kind: str
) -> None:
    given_ = [
        f"{stars}p{place}: {annotation}{'' if stars else default}"
        for place, (stars, annotation, default) in enumerate(listed)
    ]
    function = f"{before}def {name}({', '.join(filter(None, [first, *given_]))}){result}: pass\n"
    fields = "\n".join(f" f{place}: {kind}{default}" for place, (_, kind, default) in enumerate(listed))
    source = (
        f"class Box:\n {function} size: {kind}\n alias = {name}\n"
        f"@dataclass\nclass Data:\n pass\n{fields}\n"
        f"taken = Box.{name}\nLIMIT: {kind} = x\n"
        f"{function.replace(chr(10) + ' ', chr(10))}"
    )
    files = {"pkg/m.py": source.encode(), "pkg/__init__.py": b""}
    codebase = PYTHON.codebase(frozenset(files), files.get)
    for line in codebase.outline("pkg/m.py").text.splitlines():
        if not line.startswith("#"):
            symbol = PYTHON.parse_symbol(line)
            definitions = codebase.find(Address(symbol.module, symbol.name)).symbols
            assert any(PYTHON.keeps(defined, symbol) for defined in definitions)
