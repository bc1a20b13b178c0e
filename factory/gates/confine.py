"""What the commands of an attempt may see and change, as a policy for the sandbox."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from factory.checkout.workspace import Checkout
from factory.environments.environment import Environment
from factory.services.resolved import NO_SERVICES, Services
from factory.system.files.tree import FileProblem, read_bounded
from factory.system.git.client import Git
from factory.system.sandbox.policy import Policy
from factory.system.sandbox.port import Terms
from factory.system.sandbox.visible import environments_in, needed

_DEEPEST_BORROWING: Final = 5
"""How far git itself follows repositories that borrow from others, see gitrepository-layout(5)."""


def policy_for(
    checkout: Checkout,
    environment: Environment,
    variables: Mapping[str, str],
    terms: Terms,
    services: Services = NO_SERVICES,
) -> Policy:
    """The policy for a command in a checkout: its files are writable, its git data is not.

    Args:
        checkout: where it runs.
        environment: the interpreters and packages that it finds.
        variables: its environment variables.
        terms: what it gets.
        services: what runs beside it.
    """
    git, root = checkout.git, checkout.root
    # An environment in the user's own checkout serves the user afterwards. One in a throw-away checkout was
    # made by an earlier command, for the next.
    environments = () if git.throw_away else environments_in(root)
    return Policy(
        root=root,
        home=checkout.home,
        temporary=checkout.temporary,
        shared=checkout.shared,
        read_only=(root / ".git", *environments),
        visible=(
            *needed(variables, os.environ),
            *environment.visible,
            # With packages of the checkout's own it is a directory of links, else a link.
            *([checkout.node_modules] if environment.workspaces else []),
            *terms.read,
            *_git_places(git),
            *services.visible,
            *([checkout.go_cache] if checkout.go_cache is not None else []),
        ),
        links=_links(checkout, environment),
        data=checkout.services if services else None,
        other_user=checkout.other_user,
        network=terms.network,
        resources=terms.resources,
    )


def _links(checkout: Checkout, environment: Environment) -> tuple[tuple[Path, Path], ...]:
    """The links that are found above the checkout, and where they lead to."""
    target = None if environment.workspaces else environment.node_modules
    return () if target is None else ((checkout.node_modules, target),)


def _git_places(git: Git) -> Iterator[Path]:
    """Where git reads outside of the checkout; of the user's repository no more than that."""
    if not git.throw_away:
        yield from (git.git_dir, git.common_dir)
    borrowed = [git.common_dir / "objects"]
    for _ in range(_DEEPEST_BORROWING):
        yield from borrowed
        borrowed = [place for folder in borrowed for place in _alternates(folder)]


def _alternates(objects: Path) -> Iterator[Path]:
    try:
        lines = read_bounded(objects / "info" / "alternates").splitlines()
    except FileProblem:
        return
    for line in lines:
        # A line in quotes is a name that no sensible place has; its objects stay out of sight.
        if line and not line.startswith((b"#", b'"')):
            yield Path(os.path.normpath(objects / os.fsdecode(line)))
