"""A Python symbol: where it is and what it is. Its written form is read in `written`."""

from dataclasses import dataclass, replace

from factory.languages.python.symbols.shapes import (
    Function,
    Shape,
    Unknown,
    Value,
    shape_filling,
    shape_keeps,
)


@dataclass(frozen=True)
class Symbol:
    """A Python symbol.

    Attributes:
        module: the dotted name of its module.
        name: its name in the module, with those of the classes around it.
        shape: what it is.
    """

    module: str
    name: str
    shape: Shape

    @property
    def address(self) -> str:
        """Where it is: `pkg.module:Class.method`."""
        return f"{self.module}:{self.name}"

    @property
    def text(self) -> str:
        """The canonical written form; `parse_symbol` reads it back, unless the shape is unknown."""
        match self.shape:
            case Function(signature, binding, _):
                decorator = f"@{binding} " if binding else ""
                asynchronous = "async " if signature.is_async else ""
                return f"{decorator}{asynchronous}{self.address}{signature.text()}"
            case Value(annotation, is_property):
                if is_property:
                    returned = f" -> {annotation}" if annotation else ""
                    return f"@property {self.address}(self){returned}"
                return f"{self.address}: {annotation or 'Final'}"
            case _:
                return self.address

    @property
    def is_bare(self) -> bool:
        """Whether it is a name alone, of which is not said what it is."""
        return isinstance(self.shape, Unknown)

    @property
    def is_callable(self) -> bool:
        """Whether it is a function or a method."""
        return isinstance(self.shape, Function)

    def keeps(self, promised: "Symbol") -> bool:
        """Whether this, which is there, is what was promised."""
        return self.address == promised.address and shape_keeps(self.shape, promised.shape)

    def filling(self, promised: "Symbol") -> "Symbol":
        """What was promised, with what it leaves open as it is here; this keeps it."""
        return replace(promised, shape=shape_filling(self.shape, promised.shape))
