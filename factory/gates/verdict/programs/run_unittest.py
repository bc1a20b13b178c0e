"""Runs `python -m unittest`, and reports what its result counted."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import unittest

    from factory.gates.verdict.programs.begin import OWN_NAME, begin, name_words, raise_as_own, take_place
    from factory.gates.verdict.programs.unchanged import remember

# What its own program does, so that a traceback leaves it out.
__unittest = True


def run() -> None:
    # Before there is a checkout on the path that could take its place.
    import json
    import unittest

    hand_over, searched, words = begin()
    name_words("-m", "unittest", *words)
    sys.argv[:] = [f"{os.path.basename(sys.executable)} -m unittest", *words]
    replaced = remember()
    take_place(os.getcwd(), searched)

    class Program(unittest.TestProgram):
        def runTests(self) -> None:  # noqa: N802
            try:
                super().runTests()
            finally:
                result = getattr(self, "result", None)
                if result is not None:
                    hand_over(json.dumps({**_counts(result), "patched": replaced()}).encode())

    try:
        Program(module=None)
    except SystemExit:
        raise
    except BaseException:
        raise_as_own()
        raise


def _counts(result: "unittest.TestResult") -> "dict[str, object]":
    failed, errors = len(result.failures), len(result.errors)
    skipped, xfailed = len(result.skipped), len(result.expectedFailures)
    xpassed = len(result.unexpectedSuccesses)
    passed = result.testsRun - failed - errors - skipped - xfailed - xpassed
    return {
        "runner": "unittest",
        "ended": True,
        "passed": max(0, passed),
        "failed": failed,
        "errors": errors,
        "skipped": skipped,
        "xfailed": xfailed,
        "xpassed": xpassed,
    }


if __name__ == OWN_NAME:
    run()
