"""What the rules found in the plan of a build, or the work order of a run, as `planner check` exports it."""

from factory.contract.errors import WorkorderError
from factory.plans.diagnostics.exports import Placed, gitlab, sarif
from factory.report.page.story import Story


def write_sarif(story: Story) -> str:
    """A SARIF log.

    Raises:
        WorkorderError: nothing is known of findings.
    """
    return sarif(_found(story), "factory build")


def write_gitlab(story: Story) -> str:
    """A report of GitLab's code quality.

    Raises:
        WorkorderError: nothing is known of findings.
    """
    return gitlab(_found(story))


def _found(story: Story) -> tuple[Placed, ...]:
    if story.found is None:
        raise WorkorderError(
            "holds no record of what the rules found",
            where=str(story.out),
            hint="a build or a run that begins to execute writes it; for a plan alone there is"
            " `planner check --output-format sarif`",
        )
    return story.found
