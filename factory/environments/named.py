"""Who named the packages that a plan brings in: asked before any of them is fetched."""

from collections.abc import Callable, Iterable

from factory.contract.errors import Fault, WorkorderError
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import Plan, WorkOrder
from factory.plans.states.packages import NamedPackages, packages_of, packages_of_environment
from factory.plans.states.sources import Sources
from factory.specification.passages import Specification
from factory.system.git.client import Git
from factory.system.git.committed import committed_files
from factory.system.terminal.console import visible


class UnnamedPackage(WorkorderError):
    """The plan brings in a package that no person has named."""

    fault = Fault.PLAN_DEFECT


def require_named(
    orders: Iterable[WorkOrder],
    plan: Plan | None,
    spec: Specification | None,
    git: Git,
    commit: str,
    alone: RepoPath | None,
    progress: Callable[[str], None],
) -> None:
    """Refuse packages that neither the specification nor the repository names; see E214.

    Args:
        orders: what is to be executed.
        plan: their plan; None of a work order without one.
        spec: the specification that the plan keeps; without one nobody knows what that names, and the user is
            only told.
        git: the repository.
        commit: what is started from; its files may name packages.
        alone: the directory that takes the root's place, if there is one.
        progress: tells the user.

    Raises:
        UnnamedPackage: there is one.
    """
    brought = [(order.id, package) for order in orders for package in packages_of(order)]
    if plan is not None:
        brought += [("", package) for package in packages_of_environment(plan.environment)]
    if not brought:
        return
    named = NamedPackages(
        spec.text if spec is not None else "",
        Sources(*committed_files(git, commit), alone),
        plan.allowed_packages if plan is not None else (),
    )
    unnamed = [(order, package) for order, package in brought if package not in named]
    if spec is not None and unnamed:
        order, package = unnamed[0]
        raise UnnamedPackage(
            f"neither the specification nor the repository names the package `{package.name}`",
            where=f"{order or 'the plan'} {package.pointer}",
            hint="let the plan do without it, or name it in `[environment]` of workorder.toml, and commit it;"
            " `planner explain E214` says more",
        )
    for name in dict.fromkeys(package.name for _, package in unnamed):
        progress(f"the plan brings in the package {visible(name)}, which no file of the repository names")
