"""Whether a call fits a signature."""

from collections.abc import Collection

from factory.languages.python.symbols.signature import Signature


def misfit(signature: Signature, positional: int, keywords: Collection[str], *, is_bound: bool) -> str:
    """Why a call is refused, as what is said of it; empty if it fits.

    Args:
        signature: that of what is called.
        positional: how many arguments are given by position.
        keywords: the names of those given by name.
        is_bound: whether the first parameter is given already, as to a method of an object.
    """
    parameters = signature.parameters
    if is_bound and parameters and parameters[0].kind in ("positional", "plain"):
        parameters = parameters[1:]
    ordered = [parameter for parameter in parameters if parameter.kind in ("positional", "plain")]
    kinds = {parameter.kind for parameter in parameters}
    if positional > len(ordered) and "star" not in kinds:
        return f"gives {positional} arguments by position to what takes {len(ordered)}"
    by_name = {parameter.name for parameter in parameters if parameter.kind in ("plain", "keyword")}
    unknown = [name for name in keywords if name not in by_name]
    if unknown and "double_star" not in kinds:
        return f"gives the argument `{unknown[0]}`, which is none of its parameters"
    twice = [parameter.name for parameter in ordered[:positional] if parameter.name in keywords]
    if twice and "double_star" not in kinds:
        return f"gives the argument `{twice[0]}` twice"
    missing = [
        parameter.name
        for parameter in (*ordered[positional:], *(p for p in parameters if p.kind == "keyword"))
        if parameter.default is None and (parameter.kind == "positional" or parameter.name not in keywords)
    ]
    return f"leaves out the argument `{missing[0]}`" if missing else ""
