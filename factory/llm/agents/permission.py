"""Which permission an agent gets that asks for one, by rule. Pure.

The sandbox holds whatever is answered here, and what is changed outside of the work order is refused
afterwards; a no only saves the agent a way that leads nowhere.
"""

import posixpath
from collections.abc import Collection, Sequence
from typing import Final

_PREFERRED: Final = {True: ("allow_once", "allow_always"), False: ("reject_once", "reject_always")}


def reason_to_refuse(kind: str | None, places: Sequence[str], root: str, may_write: Collection[str]) -> str:
    """Why an agent may not do what it asks for; empty if it may.

    Args:
        kind: what it wants to do, as the protocol names it; None if it does not say.
        places: the files that it names for it.
        root: the checkout.
        may_write: the files that a proposal may hold.
    """
    if kind in ("delete", "move"):
        return "a proposal only writes files"
    if kind != "edit":
        # Commands and the rest run where the agent runs, in the sandbox.
        return ""
    for place in places:
        path = posixpath.relpath(posixpath.normpath(posixpath.join(root, place)), root)
        if path not in may_write:
            return f"{path} is not one of the work order's allowed files"
    return ""


def chosen(options: Sequence[tuple[str, str]], *, allow: bool) -> str | None:
    """The id of the option that says so; None if none does.

    Args:
        options: the id and the kind of each.
        allow: what is to be said.
    """
    for wanted in _PREFERRED[allow]:
        for name, kind in options:
            if kind == wanted:
                return name
    return None
