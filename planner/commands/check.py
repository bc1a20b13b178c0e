"""`planner check`, put together: the plan and what it starts from are read, the findings are shown."""

from argparse import Namespace
from typing import Final

from factory.contract.work_order import MANIFEST_NAME
from factory.system.terminal.console import Console
from planner.check.on_disk import check_built_plan
from planner.commands.inputs import read_spec
from planner.commands.options import refuse_lone_branch
from planner.diagnostics.render import OutputFormat, render, summary

_VALIDATION_FAILED: Final = 2


def run(options: Namespace, console: Console) -> int:
    """Check as the options say; the exit code.

    Raises:
        WorkorderError: an input can't be used.
    """
    refuse_lone_branch(options)
    spec = None if options.spec is None else read_spec(options.spec)
    checked, standing = check_built_plan(options.plan, options.repo, options.branch, spec)
    manifest = options.plan / MANIFEST_NAME
    source = str(manifest if manifest.exists() else options.plan)
    text = render(checked.diagnostics, OutputFormat(options.output_format), source)
    if text:
        console.result(text)
    told = summary(checked.diagnostics)
    if standing is not None and checked.plan is not None and standing.commits:
        told += f"; {len(standing.commits)} of {len(checked.plan.work_orders)} have landed and are not judged"
    console.progress(f"{options.plan}: {told}")
    return 0 if checked.ok else _VALIDATION_FAILED
