"""What the verification said about the baseline, before anything was changed. Pure values."""

from pydantic import BaseModel, ConfigDict, Field

from factory.attempt.failure import Failure, FailureClass


class BaselineCheck(BaseModel):
    """What one check found on the baseline.

    Attributes:
        name: the check's name.
        gates: whether its failure fails an attempt.
        failure: why it failed; None if it passed. Nobody is to blame for it: of its class only
            `ENVIRONMENT` means anything here.
        note: what a reader should know beside that.
        failing_tests: the ids of the tests that failed, an id once for each failure; None if the check
            could not tell them apart.
        passed_tests: the ids of the tests that passed, without parameters; None if they are not known.
        changed: whether a command of it changed what it must not.
        passed: how many tests passed, each set of parameters by itself; 0 if that is not known.
        skipped: how many were skipped.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    gates: bool
    failure: Failure | None
    note: str
    failing_tests: tuple[str, ...] | None
    changed: bool
    passed_tests: tuple[str, ...] | None = None
    passed: int = Field(default=0, exclude_if=lambda value: not value)
    skipped: int = Field(default=0, exclude_if=lambda value: not value)

    @property
    def red(self) -> bool:
        """Whether it failed and gates."""
        return self.gates and self.failure is not None

    @property
    def acceptable(self) -> bool:
        """Whether attempts can be judged although it failed.

        They can't if a program is missing, or if the check changes files that later checks look at.
        """
        return self.failure is None or not (
            self.changed or self.failure.failure_class == FailureClass.ENVIRONMENT
        )


class BaselineReport(BaseModel):
    """What the verification found on the baseline.

    Attributes:
        tree: git's id of the baseline's tree.
        identity: SHA-256 of everything that the result depends on.
        checks: what each check found, in order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tree: str
    identity: str
    checks: tuple[BaselineCheck, ...]

    @property
    def red(self) -> tuple[BaselineCheck, ...]:
        """The checks that failed and gate; with none, the build may start."""
        return tuple(check for check in self.checks if check.red)

    @property
    def unacceptable(self) -> tuple[BaselineCheck, ...]:
        """Those of `red` that no option makes up for: no attempt could be judged."""
        return tuple(check for check in self.red if not check.acceptable)

    def serves(self, tree: str, identity: str, *, red_accepted: bool) -> bool:
        """Whether it tells what would be found again; a red one only if it is not about to be refused."""
        is_same = (self.tree, self.identity) == (tree, identity)
        return is_same and (not self.red or (red_accepted and not self.unacceptable))

    @property
    def passed_tests(self) -> tuple[str, ...]:
        """The ids of the tests that passed, as far as they are known."""
        return tuple(test for check in self.checks for test in check.passed_tests or ())

    @property
    def tally(self) -> str:
        """How many tests passed and were skipped, in words; empty if none is known."""
        passed = sum(check.passed for check in self.checks)
        skipped = sum(check.skipped for check in self.checks)
        if not passed:
            return ""
        return f"{passed:,} of its tests pass" + (f", {skipped:,} skipped" if skipped else "")

    def check(self, name: str) -> BaselineCheck | None:
        """What the check of this name found; None if there was none."""
        return next((check for check in self.checks if check.name == name), None)


def file_of(test: str) -> str:
    """The file that holds a test, by its id."""
    return test.partition("::")[0]
