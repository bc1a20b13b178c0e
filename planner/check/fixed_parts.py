"""The parts of a work order that follow from others, so that no model has to write them.

Postconditions and preconditions from the files that it writes and reads, the signatures of consumed symbols
from who provides them, those of symbols that a package hands on from its modules, context files from these,
the verify contract from the script that is there. What a model says of a path stays.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from factory.contract.canonical import dump
from factory.contract.packages.planned import NODE_MANIFEST
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import COMPUTED_FIELDS, VERIFY_SCRIPT, Plan
from factory.languages.port import Addressed, BadSymbol
from factory.languages.table import language_of_symbol, parse_symbol

_FOLLOWING: Final = ("preconditions", "postconditions", "context_files")

_VERIFIED: Final[JsonObject] = {
    "command": f"bash {VERIFY_SCRIPT}",
    "requires": [{"kind": "file_exists", "path": str(VERIFY_SCRIPT)}],
}


def with_fixed_parts(
    document: JsonValue, repo_files: Collection[str], kept: Collection[int] = (), *, is_revision: bool = False
) -> JsonValue:
    """A plan as a model answers it, with what follows from the rest.

    Args:
        document: the answer, with the work orders that it only names.
        repo_files: the tracked files that the plan starts from.
        kept: the indices of work orders that are no model's, and stay as they are.
        is_revision: whether what verifies the repository was decided before.
    """
    if not isinstance(document, dict) or not isinstance(orders := document.get("work_orders"), list):
        return document
    present = {*repo_files, *_made(document, orders)}
    providers: list[tuple[frozenset[str], tuple[str, ...]]] = []
    promised: dict[str, str] = {}
    signed: dict[str, dict[str, str]] = {}
    completed: list[JsonValue] = []
    for index, order in enumerate(orders):
        whole = order
        if isinstance(order, dict):
            files = tuple(dict.fromkeys(_texts(order.get("allowed_files"))))
            # In a revision, one that says its conditions may be a copy of one that stays.
            is_copy = is_revision and ("preconditions" in order or "postconditions" in order)
            if files and not is_copy and index not in kept and "fixed_files" not in order:
                named = dict(order)
                if order.get("consumes"):
                    named["consumes"] = _with_signatures(order["consumes"], promised)
                if order.get("provides"):
                    named["provides"] = _handed_on(order["provides"], signed)
                whole = _completed(named, files, present, providers)
            present.update(files)
            provided = {
                symbol.address: text
                for text, symbol in _written(whole.get("provides") if isinstance(whole, dict) else None)
            }
            providers.append((frozenset(provided), files))
            promised |= provided
            for name, texts in _signed([*provided.values()]).items():
                signed.setdefault(name, {}).update(texts)
        completed.append(whole)
    verified: JsonObject = {}
    if not is_revision and document.get("verify_contract") is None and VERIFY_SCRIPT in present:
        verified = {"verify_contract": _VERIFIED}
    return {**document, **verified, "work_orders": completed}


def with_copies(document: JsonValue, before: Plan) -> tuple[JsonValue, frozenset[int]]:
    """A revised plan as a model answers it, in which what it copied of the plan before is as it was.

    A copy says the same of everything that a model writes, and of what follows from that nothing else.

    Args:
        document: the answer, with the work orders that it only names.
        before: the plan that is revised.

    Returns:
        The answer, and the indices of the copies.
    """
    if not isinstance(document, dict) or not isinstance(orders := document.get("work_orders"), list):
        return document, frozenset()
    known = {order.id: dump(order) for order in before.work_orders}
    whole = list(orders)
    copies = set()
    for index, order in enumerate(orders):
        old = known.get(str(order.get("id"))) if isinstance(order, dict) else None
        if isinstance(order, dict) and isinstance(old, dict) and _is_copy(order, old):
            whole[index] = {**order, **{name: old[name] for name in _FOLLOWING}}
            copies.add(index)
    return {**document, "work_orders": whole}, frozenset(copies)


def _is_copy(order: JsonObject, old: JsonObject) -> bool:
    written = {*order, *old} - {*_FOLLOWING, *COMPUTED_FIELDS}
    if any((order.get(name) or None) != (old.get(name) or None) for name in written):
        return False
    told = [(order.get(name) or [], old[name]) for name in _FOLLOWING]
    return all(
        isinstance(new, list) and isinstance(kept, list) and all(element in kept for element in new)
        for new, kept in told
    )


def _completed(
    order: JsonObject,
    files: tuple[str, ...],
    present: Collection[str],
    providers: list[tuple[frozenset[str], tuple[str, ...]]],
) -> JsonObject:
    whole = dict(order)
    if isinstance(read := whole.get("context_files") or [], list):
        told = set(_texts(read))
        defining = _defining(order, present, providers)
        further = [path for path in dict.fromkeys(defining) if path not in told and path not in files]
        whole["context_files"] = [*read, *further]
    context = _texts(whole.get("context_files"))
    before = [("file_exists" if path in present else "file_absent", path) for path in files]
    before += [("file_exists", path) for path in context if path in present]
    whole["preconditions"] = _conditions(whole.get("preconditions"), before)
    whole["postconditions"] = _conditions(
        whole.get("postconditions"), [("file_exists", path) for path in files]
    )
    return whole


def _with_signatures(consumes: JsonValue, promised: Mapping[str, str]) -> JsonValue:
    """Consumed symbols, each that is named by its address alone as an earlier work order provides it.

    A class brings what is provided of it, unless something of it is named, too.
    """
    if not isinstance(consumes, list):
        return consumes
    named = _texts(consumes)
    whole: list[JsonValue] = []
    for text in consumes:
        if not isinstance(text, str) or text not in promised:
            whole.append(text)
            continue
        whole.append(promised[text])
        if not any(f"{text}." in other for other in named):
            whole += [member for address, member in promised.items() if address.startswith(f"{text}.")]
    return whole


def _handed_on(provides: JsonValue, earlier: Mapping[str, dict[str, str]]) -> JsonValue:
    """Provided symbols, each that a package hands on as the module below it provides it, now or earlier."""
    if not isinstance(provides, list):
        return provides
    signed = _signed(provides)
    whole: list[JsonValue] = []
    for text in provides:
        package, _, name = text.partition(":") if isinstance(text, str) else ("", "", "")
        origins = {
            address: signature
            for address, signature in (earlier.get(name, {}) | signed.get(name, {})).items()
            if _is_below(address.partition(":")[0], package)
        }
        if len(origins) == 1:
            ((address, signature),) = origins.items()
            whole.append(signature.replace(address, f"{package}:{name}", 1))
        else:
            whole.append(text)
    return whole


def _signed(provides: JsonValue) -> dict[str, dict[str, str]]:
    """Provided symbols that have a signature: by their names, and by their addresses."""
    found: dict[str, dict[str, str]] = {}
    for text, symbol in _written(provides):
        if text != symbol.address:
            found.setdefault(symbol.name, {})[symbol.address] = text
    return found


def _is_below(module: str, package: str) -> bool:
    """Whether a module is one below a package of Python, or beside an index of a folder."""
    folder, _, file = package.rpartition("/")
    below = f"{folder}/" if file.partition(".")[0] == "index" else f"{package}."
    return module != package and module.startswith(below.lstrip("/"))


def _made(document: JsonObject, orders: list[JsonValue]) -> Iterator[str]:
    """The manifests that are there before the first work order, because the plan brings packages of npm."""
    environment = document.get("environment")
    if isinstance(environment, dict) and (environment.get("node") or environment.get("node_dev")):
        yield NODE_MANIFEST
    for order in orders:
        packages = order.get("requires_packages") if isinstance(order, dict) else None
        for package in packages if isinstance(packages, list) else ():
            if isinstance(order, dict) and isinstance(package, dict) and package.get("ecosystem") == "node":
                project = order.get("project")
                yield f"{project}/{NODE_MANIFEST}" if isinstance(project, str) else NODE_MANIFEST


def _conditions(told: JsonValue, computed: list[tuple[str, str]]) -> JsonValue:
    """Conditions as they are told, and those of paths of which nothing is."""
    if told is None:
        told = []
    if not isinstance(told, list):
        return told
    named = {condition.get("path") for condition in told if isinstance(condition, dict)}
    further: dict[str, JsonValue] = {
        path: {"kind": kind, "path": path} for kind, path in computed if path not in named
    }
    return [*told, *further.values()]


def _defining(
    order: JsonObject, present: Collection[str], providers: list[tuple[frozenset[str], tuple[str, ...]]]
) -> Iterator[str]:
    """The files that define what a work order consumes, of the last that provides it or the repository."""
    for symbol in _symbols(order.get("consumes")):
        language = language_of_symbol(symbol.address)
        given = next((files for names, files in reversed(providers) if symbol.address in names), None)
        candidates = given if given is not None else language.file_names(symbol)
        place = language.place(symbol, [path for path in candidates if path in present], present.__contains__)
        if place is not None:
            yield place.path


def _symbols(listed: JsonValue) -> Iterator[Addressed]:
    return (symbol for _, symbol in _written(listed))


def _written(listed: JsonValue) -> Iterator[tuple[str, Addressed]]:
    """Symbols, each with its text; what is none is left out."""
    for text in _texts(listed):
        try:
            yield text, parse_symbol(text)
        except BadSymbol:
            continue


def _texts(listed: JsonValue) -> list[str]:
    return [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
