"""The symbols that a work order consumes, as the repository defines them: what its engineer is shown.

A plan may leave open what a symbol's definition says: annotations, and default values as `...`. Who calls the
symbol needs all of it. Sources are read with `ast`, never imported.
"""

from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.symbols.files import module_file
from factory.contract.symbols.sources import PythonSources
from factory.contract.symbols.written import BadSymbol, parse_symbol
from factory.contract.work_order import WorkOrder
from factory.system.files.tree import Tree


def as_defined(order: WorkOrder, tree: Tree) -> tuple[str, ...]:
    """What the work order consumes, in its order, each symbol with its whole signature.

    A symbol stays as the plan has it where the repository says no more: it has no such definition, or
    several, or another one, or the source can't be read.

    Args:
        order: the work order.
        tree: the files before an attempt.
    """
    by_root: dict[str, PythonSources] = {}

    def read(path: str) -> bytes | None:
        file = tree.read(RepoPath.parse(path), max_bytes=MAX_SOURCE_BYTES)
        return file.data if file is not None else None

    def exists(path: str) -> bool:
        return tree.exists(RepoPath(path))

    def whole(text: str) -> str:
        promised = parse_symbol(text)
        # Modules that the root and `src` don't lead to lie beside the files of the work order.
        place = module_file(promised.module, [*order.context_files, *order.allowed_files], exists)
        root = place[1] if place is not None else ""
        sources = by_root.setdefault(root, PythonSources(read, (root,)))
        definitions = sources.find(promised.module, promised.name).definitions
        if len(definitions) != 1 or not definitions[0].keeps(promised):
            return text
        filled = definitions[0].filling(promised)
        if filled == promised or parse_symbol(filled.text) != filled:
            return text
        return filled.text

    def shown(text: str) -> str:
        try:
            return whole(text)
        except BadSymbol:
            return text

    return tuple(shown(text) for text in order.consumes)
