"""The changes that cases are made of: each returns a function that changes a draft."""

from collections.abc import Sequence

from draft import Change, Draft, Json


def together(*changes: Change) -> Change:
    """All of these changes."""

    def make(draft: Draft) -> None:
        for change in changes:
            change(draft)

    return make


def also(number: int, *commands: str) -> Change:
    """Further acceptance commands of a work order."""
    return lambda draft: draft.order(number)["acceptance_commands"].extend(commands)


def only(number: int, *commands: str) -> Change:
    """Nothing but these acceptance commands."""
    return set_field(number, "acceptance_commands", list(commands))


def python(code: str) -> str:
    """A command that runs code."""
    assert not set(code) & set('"$`\\'), code
    return f'python -c "{code}"'


def set_field(number: int, name: str, value: object) -> Change:
    """Another value of a work order's field."""

    def make(draft: Draft) -> None:
        draft.order(number)[name] = value

    return make


def more(number: int, name: str, *values: object) -> Change:
    """Further elements of a work order's list."""
    return lambda draft: draft.order(number)[name].extend(values)


def less(number: int, name: str, *values: object) -> Change:
    """A work order's list without some of its elements."""

    def make(draft: Draft) -> None:
        for value in values:
            draft.order(number)[name].remove(value)

    return make


def say(number: int, sentence: str) -> Change:
    """A further sentence at the end of an intent."""

    def make(draft: Draft) -> None:
        draft.order(number)["intent"] += f" {sentence}"

    return make


def reword(number: int, *pairs: tuple[str, str], field: str = "intent") -> Change:
    """Other words in an intent, or in another text of a work order; each must stand there."""

    def make(draft: Draft) -> None:
        for old, new in pairs:
            assert old in draft.order(number)[field], old
            draft.order(number)[field] = draft.order(number)[field].replace(old, new)

    return make


def make_file(number: int, path: str, content: str = "") -> Change:
    """A further file that a work order makes, and what the solution writes to it."""

    def make(draft: Draft) -> None:
        order = draft.order(number)
        order["allowed_files"].append(path)
        order["preconditions"].append(condition("file_absent", path))
        order["postconditions"].append(condition("file_exists", path))
        draft.solution[order["id"]][path] = content

    return make


def leave_out(number: int, path: str) -> Change:
    """A file that a work order does not make after all."""

    def make(draft: Draft) -> None:
        order = draft.order(number)
        order["allowed_files"].remove(path)
        for name in ("preconditions", "postconditions"):
            order[name] = [state for state in order[name] if state["path"] != path]
        del draft.solution[order["id"]][path]

    return make


def change_file(number: int, path: str, content: str) -> Change:
    """A file of before that a work order changes, too."""

    def make(draft: Draft) -> None:
        order = draft.order(number)
        order["allowed_files"].append(path)
        order["preconditions"].append(condition("file_exists", path))
        order["postconditions"].append(condition("file_exists", path))
        draft.solution[order["id"]][path] = content

    return make


def condition(kind: str, path: str) -> Json:
    """A condition as plans write it."""
    return {"kind": kind, "path": path}


def quote(name: str, *quotes: str) -> Change:
    """Other quotes of a requirement."""

    def make(draft: Draft) -> None:
        draft.requirement(name)["quotes"] = list(quotes)

    return make


def exempt(number: int, reason: str, commands: Sequence[str] | None = None) -> Change:
    """Acceptance commands that may pass before; all of the work order unless they are given."""

    def make(draft: Draft) -> None:
        order = draft.order(number)
        chosen = order["acceptance_commands"] if commands is None else commands
        order["red_exempt"] = [{"command": command, "reason": reason} for command in chosen]

    return make


def arrange(*numbers: int) -> Change:
    """The work orders in another order, or some of them only."""
    return lambda draft: draft.arrange(*numbers)


def write(number: int, path: str, content: str, *, at_end: bool = False) -> Change:
    """Another content of a file in the solution, or more of it at its end."""

    def make(draft: Draft) -> None:
        files = draft.solution[draft.order(number)["id"]]
        files[path] = files[path] + content if at_end else content

    return make


def demand(old: str, new: str) -> Change:
    """Another piece of the specification."""

    def make(draft: Draft) -> None:
        assert old in draft.spec, old
        draft.spec = draft.spec.replace(old, new)

    return make
