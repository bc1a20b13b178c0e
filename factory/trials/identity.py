"""The name of a trial: SHA-256 of all that could change what comes out of it."""

import os
import platform
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from factory.contract.canonical import canonical_json, dump, sha256_hex
from factory.contract.strict_json import JsonValue
from factory.environments.environment import Environment
from factory.gates.bench import Bench
from factory.system.git.client import Git
from factory.trials.conditions import Conditions
from factory.trials.request import TrialRequest

_FORMAT: Final = 2
"""Counted up when the same name would stand for something else."""

_MOMENT: Final = re.compile(rb"^((?:author|committer) .*>) \d+ [+-]\d{4}$", re.MULTILINE)
_SIGNATURE: Final = re.compile(rb"^gpgsig(?:-sha256)? .*\n(?: .*\n)*", re.MULTILINE)


@cache
def own_version() -> str:
    """The version of Workorder."""
    try:
        return version("workorder")
    except PackageNotFoundError:
        return "unknown"


def name_of(request: TrialRequest, conditions: Conditions) -> str:
    """The name of a trial.

    Of the files only the tree counts, which holds them; of a limit that was measured nothing: where one was
    reached, nothing is remembered. Commits count without the moment at which they were made, so that a
    candidate that is made again has the same name.

    Args:
        request: what is asked.
        conditions: where and how; their commit is at hand.

    Raises:
        GitError: git failed.
    """
    bench, setting = conditions.bench, conditions.setting
    terms = bench.terms
    question = dict[str, JsonValue](request.question.model_dump(mode="json", exclude={"limit_seconds"}))
    facts: dict[str, JsonValue] = {
        "format": _FORMAT,
        "workorder": own_version(),
        "machine": platform.machine(),
        "question": question,
        "base": _without_moments(bench.checkout.git.common_dir, request.base),
        "tree": request.tree,
        "order": dump(request.order) if request.order is not None else None,
        "checks": setting.checks,
        "touched_first": setting.touched_first,
        "known": dump(setting.known) if setting.known is not None else None,
        "kept_tests": list(conditions.kept_tests),
        "timeout_seconds": setting.timeout_seconds,
        "environments": dict[str, JsonValue](setting.environments),
        "services": bench.services.identity,
        "sandbox": str(
            terms
            and (terms.sandbox.level, terms.sandbox.changes_user, terms.network, terms.resources, terms.read)
        ),
        "variables": _variables(bench, bench.environment, bench.variables),
        "projects": {
            directory: _variables(bench, found.environment, found.variables)
            for directory, found in bench.projects.items()
        },
    }
    return sha256_hex(canonical_json(facts))


@lru_cache(maxsize=1024)
def _without_moments(common_dir: Path, commit: str) -> str:
    """SHA-256 of a commit without its dates and its signature; a commit that has a name stays as it is."""
    text = Git.beside(common_dir).output("cat-file", "commit", commit)
    return sha256_hex(_MOMENT.sub(rb"\1", _SIGNATURE.sub(b"", text)))


def _variables(bench: Bench, environment: Environment, variables: Mapping[str, str]) -> JsonValue:
    """What commands see, without the places of a checkout, and when their programs changed last."""
    scratch = str(bench.checkout.home.parent)
    programs = {str(place) for place in environment.programs}
    places = [place for place in variables.get("PATH", "").split(os.pathsep) if place not in programs]
    return {
        "values": {
            name: value.replace(scratch, "").encode("utf-8", "backslashreplace").decode()
            for name, value in sorted(variables.items())
        },
        # Installing a program changes the directory that it is put into.
        "programs": [_changed(place) for place in places],
    }


def _changed(place: str) -> int:
    try:
        return Path(place).stat().st_mtime_ns
    except OSError:
        return 0
