"""The symbols that a work order consumes, as the repository defines them: what its engineer is shown.

A plan may leave open what a symbol's definition says: annotations, and default values as `...`. Who calls the
symbol needs all of it. Sources are read, never imported.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.repo_path import RepoPath, UnsafePath
from factory.contract.work_order import WorkOrder
from factory.languages.port import BadSymbol, Codebase
from factory.languages.table import keeps, language_of_symbol, parse_symbol
from factory.system.files.tree import Tree


def as_defined(order: WorkOrder, tree: Tree) -> tuple[str, ...]:
    """What the work order consumes, in its order, each symbol with its whole signature.

    A symbol stays as the plan has it where the repository says no more: it has no such definition, or
    several, or another one, or the source can't be read.

    Args:
        order: the work order.
        tree: the files before an attempt.
    """
    codebases: dict[str, Codebase] = {}
    files = _Existing(tree)

    def read(path: str) -> bytes | None:
        file = tree.read(RepoPath.parse(path), max_bytes=MAX_SOURCE_BYTES)
        return file.data if file is not None else None

    def whole(text: str) -> str:
        promised = parse_symbol(text)
        language = language_of_symbol(text)
        if language.key not in codebases:
            codebases[language.key] = language.codebase(files, read)
        # Modules that the root and `src` don't lead to lie beside the files of the work order.
        place = language.place(promised, [*order.context_files, *order.allowed_files], files.__contains__)
        definitions = codebases[language.key].find(promised, place.root if place is not None else "").symbols
        if len(definitions) != 1 or not keeps(definitions[0], promised):
            return text
        filled = language.filled(definitions[0], promised)
        if filled == promised or parse_symbol(filled.text) != filled:
            return text
        return filled.text

    def shown(text: str) -> str:
        try:
            return whole(text)
        except BadSymbol:
            return text

    return tuple(shown(text) for text in order.consumes)


@dataclass(frozen=True)
class _Existing:
    """The files of a tree, as far as somebody asks for one."""

    tree: Tree

    def __contains__(self, path: str) -> bool:
        try:
            return self.tree.exists(RepoPath.parse(path))
        except UnsafePath:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(())
