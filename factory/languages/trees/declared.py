"""A symbol of a language whose symbols are written `FILE:DECLARATION`, as a value."""

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.languages.port import MAX_SYMBOL_CHARS, BadSymbol

Kind = Literal["function", "type", "value", "named", "unknown"]
"""What is declared. `named` is a promise of a name alone, which a type or a value keeps; `unknown` is what
can't be told: by reading, such as a name from another package, or by a promise of a name that a module only
hands on. It fits everything."""

ANY: Final = ""
"""A type that is left open."""

_NAME: Final = re.compile(r"(?:[^\W\d]|\$)[\w$]*(?:\.(?:[^\W\d]|\$)[\w$]*)*")


@dataclass(frozen=True)
class Declared:
    """A symbol.

    Attributes:
        module: its file.
        name: its name there, with those of the types around it, dotted.
        kind: what it is.
        written: what stands behind the name, in canonical form, such as `(text: &str) -> String`.
        before: what stands between the colon and the name, such as `async `.
        form: what must be the same beside the types, such as how often a function's generics are bound.
        parameters: the types that callers pass, normalised; names of parameters don't bind.
        result: the type of a result or of a value, normalised.
    """

    module: str
    name: str
    kind: Kind
    written: str = field(default="", compare=False)
    before: str = ""
    form: str = ""
    parameters: tuple[str, ...] = ()
    result: str = ANY

    @property
    def address(self) -> str:
        """`module:name`."""
        return f"{self.module}:{self.name}"

    @property
    def text(self) -> str:
        """The canonical written form."""
        return f"{self.module}:{self.before}{self.name}{self.written}"

    @property
    def is_bare(self) -> bool:
        """Whether it is a name alone, of which is not said what it is."""
        return self.kind == "unknown"

    @property
    def is_callable(self) -> bool:
        """Whether it is a function or a method."""
        return self.kind == "function"

    def keeps(self, promised: "Declared") -> bool:
        """Whether this is what was promised, wherever it is; a type that either leaves open fits any."""
        if "unknown" in (self.kind, promised.kind):
            return True
        if promised.kind == "named":
            return self.kind != "function"
        if (self.kind, self.before, self.form) != (promised.kind, promised.before, promised.form):
            return False
        mine, others = (self.result, *self.parameters), (promised.result, *promised.parameters)
        return len(mine) == len(others) and all(
            ANY in (one, other) or one == other for one, other in zip(mine, others, strict=True)
        )


@dataclass(frozen=True)
class Head:
    """A symbol's text, taken apart where that needs no grammar.

    Attributes:
        module: its file.
        before: words between the colon and the name, each with a space behind it.
        name: its dotted name.
        rest: what stands behind the name.
    """

    module: str
    before: str
    name: str
    rest: str


def split(text: str, words: tuple[str, ...], forms: str) -> Head:
    """Take a symbol's text apart.

    Args:
        text: `FILE:DECLARATION`.
        words: those that may stand in front of the name, such as `async`.
        forms: how symbols of this language are written, as a hint.

    Raises:
        BadSymbol: the text is too long, or has no file or no name.
    """
    if len(text) > MAX_SYMBOL_CHARS:
        raise BadSymbol(
            f"is longer than {MAX_SYMBOL_CHARS:,} characters", where=text[:40], hint="give the types names"
        )
    if not text.isprintable():
        raise BadSymbol("holds a line break or another control character", where=text[:40], hint=forms)
    file, colon, declaration = text.strip().partition(":")
    if not colon:
        raise BadSymbol("does not begin with a file and a colon", where=text[:40], hint=forms)
    try:
        module = RepoPath.parse(file)
    except WorkorderError as error:
        raise BadSymbol(f"has a file that {error.message}", where=file[:80], hint=forms) from error
    declaration, before = declaration.strip(), ""
    while True:
        word, space, behind = declaration.partition(" ")
        if not space or word not in words:
            break
        declaration, before = behind.lstrip(), f"{before}{word} "
    name = _NAME.match(declaration)
    if name is None:
        raise BadSymbol("has no name behind the colon", where=declaration[:40], hint=forms)
    return Head(str(module), before, name[0], declaration[name.end() :].strip())
