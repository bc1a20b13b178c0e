"""`workorder config`: what options are that are not given, and who says so."""

import os
from argparse import Namespace
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final

from factory.attempt.exit_codes import ExitCode
from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console, one_line
from workorder.places import plans, repository_of, state_of, user_file

PLACES: Final = ("repo", "out", "ledger", "plan")
"""The options that say where things are."""

PLACES_OF_PLANS: Final = ("repo", "ledger", "plan", "other", "outdir")
"""The same for who makes plans, or looks at them."""


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    purpose = "tell what options are that are not given, and who says so"
    command = commands.add_parser("config", help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}.")
    command.set_defaults(run=run)


def run(_options: Namespace, console: Console) -> int:
    """Print each value with where it comes from.

    Raises:
        WorkorderError: a value can't be used.
    """
    # Here and below: pydantic takes a while, and `workorder --help` needs none of it.
    from factory.configuration.defaults import NAMES, defaults, variable

    repo = repository_of(Path())
    said = {default.name: default for default in defaults(os.environ, repo, user_file())}
    for name in NAMES:
        default = said.get(name)
        if default is None:
            console.result(f"{name:14}(the command's own)  [--{name}, {variable(name)}]")
        else:
            console.result(f"{name:14}{one_line(default.value)}  [{one_line(default.source)}]")
    if repo is None:
        console.result("repo          (this is in none)")
    else:
        places = _places(repo)
        for name, place in ((name, places[name]) for name in PLACES if name in places):
            console.result(f"{name:14}{one_line(place)}")
    file = user_file()
    console.result(f"yours         {one_line(str(file))}{'' if file.exists() else '  (not there)'}")
    return ExitCode.PASS


def given(words: Sequence[str], places: Collection[str]) -> Mapping[str, str]:
    """What options of `build` and its like are that are not given, by their names.

    Args:
        words: the command line.
        places: which of `PLACES` count for its command.

    Raises:
        WorkorderError: a value can't be used.
    """
    if "--version" in words:
        return {}
    if not {"-h", "--help"} & set(words):
        return _given(words, places)
    try:
        return _given(words, places)
    except WorkorderError:
        # What stands in a file must not keep anybody from a help.
        return {}


def _given(words: Sequence[str], places: Collection[str]) -> Mapping[str, str]:
    from factory.configuration.defaults import defaults

    named = next(_values(words, "--repo"), None)
    repo = repository_of(Path() if named is None else Path(named))
    values = {default.name: default.value for default in defaults(os.environ, repo, user_file())}
    if repo is None or not places:
        return values
    return values | {name: place for name, place in _places(repo).items() if name in places}


def of_plans(words: Sequence[str]) -> Mapping[str, str]:
    """The same for `workorder plan`: the latest plan is looked at, and a new one goes beside it.

    Args:
        words: the command line.

    Raises:
        WorkorderError: a value can't be used.
    """
    values = dict(given(words, (*PLACES_OF_PLANS, "before")))
    before = values.pop("before", None)
    if "diff" not in words[:1]:
        values.pop("other", None)
    elif before is not None:
        values["plan"] = before
    else:
        values.pop("plan", None)
    return values


def of_all_builds(words: Sequence[str]) -> Mapping[str, str]:
    """The same for who looks at all builds of a repository: `--out` is the directory that holds theirs.

    Args:
        words: the command line.

    Raises:
        WorkorderError: a value can't be used.
    """
    values = given(words, ("out",))
    return {**values, "out": str(Path(values["out"]).parent)} if "out" in values else values


def _places(repo: Path) -> dict[str, str]:
    state = state_of(repo)
    places = {"repo": str(repo), "out": str(state / "runs"), "ledger": str(state / "ledger")}
    made = plans(state)
    places["outdir"] = str(state / f"plan-{len(made) + 1}")
    if made:
        places |= {"plan": str(made[-1]), "other": str(made[-1])}
    return places | ({"before": str(made[-2])} if len(made) > 1 else {})


def spec_of(words: Sequence[str]) -> Path | None:
    """The specification that a command line names; None if it names none."""
    named = next(_values(words, "--spec"), None)
    return None if named is None else Path(named)


def _values(words: Sequence[str], option: str) -> Iterator[str]:
    """What an option is given, before anything is parsed."""
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        if word == option:
            yield following
        elif word.startswith(f"{option}="):
            yield word.partition("=")[2]
