"""Runs `python -m unittest`, and reports what its result counted, and how the canaries ended.

A canary is a test that must fail, in a class derived from one of those whose tests ran: what makes such tests
pass, or swallows how they end, makes it pass, too. It is run after the others, with a result of its own.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import unittest
    from typing import Any

    from factory.gates.verdict.programs.begin import OWN_NAME, begin, name_words, raise_as_own, take_place
    from factory.gates.verdict.programs.unchanged import remember

_MOST_CANARIES = 20

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
            # A suite forgets its tests as they run.
            kinds = _kinds(vars(self).get("test"))
            try:
                super().runTests()
            finally:
                result = getattr(self, "result", None)
                if result is not None:
                    report = {**_counts(result), "patched": replaced()}
                    report["canary"] = _canaries_end(kinds, result) if report["passed"] else "not due"
                    hand_over(json.dumps(report).encode())

    try:
        Program(module=None)
    except SystemExit:
        raise
    except BaseException:
        raise_as_own()
        raise


def _kinds(test: "object") -> "list[type[unittest.TestCase]]":
    """The classes of the tests, each once, in order."""
    import unittest

    kinds: dict[type[unittest.TestCase], None] = {}
    rest = [test]
    while rest:
        item = rest.pop()
        if isinstance(item, unittest.TestSuite):
            rest.extend(reversed(list(item)))
        elif isinstance(item, unittest.TestCase) and not isinstance(item, unittest.FunctionTestCase):
            kinds[type(item)] = None
    return list(kinds)


def _canaries_end(kinds: "list[type[unittest.TestCase]]", result: "unittest.TestResult") -> str:
    """How the canaries ended; as the first that did not fail."""
    import unittest

    tried: list[type[unittest.TestCase]] = [unittest.TestCase, *kinds[-_MOST_CANARIES:]]
    ends = (_canary_end(kind, result) for kind in tried)
    return next((end for end in ends if end != "failed"), "failed")


def _canary_end(kind: "type[unittest.TestCase]", like: "unittest.TestResult") -> str:
    import io
    from unittest.runner import _WritelnDecorator

    name = f"test_{os.urandom(4).hex()}"

    def must_fail(self: "unittest.TestCase") -> None:
        self.assertEqual(1, 2)

    def nothing(*_: object) -> None:
        pass

    async def nothing_later(*_: object) -> None:
        pass

    # Without what the project sets up, which is for its own tests.
    names: dict[str, object] = {
        **dict.fromkeys(("setUp", "tearDown"), nothing),
        **dict.fromkeys(("asyncSetUp", "asyncTearDown"), nothing_later),
        "__module__": kind.__module__,
        name: must_fail,
    }
    try:
        canary = type(kind.__name__, (kind,), names)(name)
        stream: Any = _WritelnDecorator(io.StringIO())
        result = type(like)(stream, False, 0)
    except Exception:
        # Made in a way of their own, such as tests in documents; that of unittest itself was tried.
        return "failed"
    try:
        canary.run(result)
    except Exception:
        return "failed"
    if result.failures or result.errors:
        return "failed"
    return "skipped" if result.skipped else "passed" if result.testsRun else "unreported"


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
