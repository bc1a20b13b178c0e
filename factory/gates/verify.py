"""The checks of the whole repository: its own `scripts/verify.sh`, else compileall and pytest."""

from typing import Final

from factory.contract.work_order import VERIFY_SCRIPT
from factory.failure import Stage
from factory.gates.check import CheckContext, CheckResult
from factory.gates.judge import judge

_NO_TESTS_COLLECTED: Final = 5
"""pytest's exit code when there is no test, see pytest.ExitCode."""


class VerifyScript:
    """`bash scripts/verify.sh`, if the repository has one and the work order is not exempt."""

    name = "verify.sh"

    def run(self, context: CheckContext) -> CheckResult:
        if context.order.verify_exempt:
            return CheckResult(name=self.name, note="skipped: the work order is exempt")
        if not context.tree.exists(VERIFY_SCRIPT):
            return CheckResult(name=self.name, note="skipped: the repository has none")
        result = context.execute("verify", f"bash {VERIFY_SCRIPT}", ("bash", VERIFY_SCRIPT))
        failure = judge(result, Stage.VERIFY_FAILED, context)
        return CheckResult(name=self.name, failure=failure, commands=(result,))


class CompileAll:
    """`python -m compileall`, where no verify script does the work."""

    name = "compileall"

    def run(self, context: CheckContext) -> CheckResult:
        if _script_verifies(context):
            return CheckResult(name=self.name, note="skipped: scripts/verify.sh verifies")
        words = ("python", "-m", "compileall", "-q", ".")
        result = context.execute("compileall", " ".join(words), words)
        return CheckResult(
            name=self.name, failure=judge(result, Stage.VERIFY_FAILED, context), commands=(result,)
        )


class Pytest:
    """`python -m pytest`, where no verify script does the work and the work order is not exempt."""

    name = "pytest"

    def run(self, context: CheckContext) -> CheckResult:
        if context.order.verify_exempt:
            return CheckResult(name=self.name, note="skipped: the work order is exempt")
        if _script_verifies(context):
            return CheckResult(name=self.name, note="skipped: scripts/verify.sh verifies")
        words = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
        result = context.execute("pytest", " ".join(words), words)
        failure = judge(result, Stage.VERIFY_FAILED, context, passing=frozenset({0, _NO_TESTS_COLLECTED}))
        note = "no tests collected" if result.exit_code == _NO_TESTS_COLLECTED else ""
        return CheckResult(name=self.name, failure=failure, commands=(result,), note=note)


def _script_verifies(context: CheckContext) -> bool:
    return not context.order.verify_exempt and context.tree.exists(VERIFY_SCRIPT)
