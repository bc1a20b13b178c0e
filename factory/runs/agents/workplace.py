"""Where an agent works during an attempt: the checkout of the run, confined as its commands are."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from factory.checkout.workspace import Checkout
from factory.configuration.committed import file_at
from factory.contract.work_order import WorkOrder
from factory.gates.bench import Bench
from factory.gates.confine import policy_for
from factory.llm.agents.workplace import Workplace
from factory.system.sandbox.port import Confinement


def workplace(bench: Bench, order: WorkOrder) -> Workplace:
    """The checkout of a run as an agent gets it.

    Args:
        bench: how commands are run in it.
        order: the work order.
    """
    checkout = bench.checkout
    found = bench.projects[order.project] if order.project is not None else None
    variables = found.variables if found is not None else bench.variables

    def confined(further: Sequence[Path]) -> Confinement | None:
        environment = bench.environment_of(order)
        checkout.offer(environment.node_modules, environment.workspaces)
        if bench.terms is None:
            return None
        policy = policy_for(checkout, environment, variables, bench.terms)
        policy = replace(policy, visible=(*policy.visible, *further))
        return Confinement(bench.terms.sandbox, policy, bench.terms.groups)

    return Workplace(
        root=checkout.root,
        home=checkout.home,
        temporary=checkout.temporary,
        variables=variables,
        confined=confined,
        may_write=order.allowed_files,
        before=partial(file_at, checkout.git, checkout.baseline),
        ignored=partial(_ignored, checkout),
        restore=checkout.restore,
    )


def _ignored(checkout: Checkout, paths: Sequence[str]) -> frozenset[str]:
    """Which of some files git does not look at; none of them where git can't say."""
    if not paths:
        return frozenset()
    # `./`: no name begins with what is magic to git.
    names = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
    # What a file of the agent says is ignored neither lands nor stays.
    done = checkout.git.call(
        "check-ignore", "--no-index", "-z", "--stdin", stdin=names, env={"GIT_LITERAL_PATHSPECS": "0"}
    )
    return (
        frozenset(os.fsdecode(part[2:]) for part in done.stdout.split(b"\0") if part)
        if done.ok
        else frozenset()
    )
