"""Runs `python -m unittest`, and reports what its result counted, and how the canaries ended.

A canary is a test that must fail, in a class derived from one of those whose tests ran: what makes such tests
pass, or swallows how they end, makes it pass, too. It is run after the others, with a result of its own.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import unittest
    from collections.abc import Callable
    from typing import Any

    from factory.gates.verdict.programs.begin import OWN_NAME, begin, name_words, raise_as_own, take_place
    from factory.gates.verdict.programs.left_out import skipping_file
    from factory.gates.verdict.programs.unchanged import remember

_MOST_CANARIES = 20
_MOST_SKIPS = 100

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
            kinds, named = _kinds(vars(self).get("test")), _named(self)
            passed: set[str] = set()
            skips: list[tuple[str, str]] = []
            self.testRunner = _watching(passed, skips)
            try:
                super().runTests()
            finally:
                result = getattr(self, "result", None)
                if result is not None:
                    report = {**_counts(result), "passed": len(passed), "patched": replaced()}
                    report["named"] = [
                        {"word": word, "passed": len(tests & passed), "deselected": 0}
                        for word, tests in named
                    ]
                    report["skips"] = skips[:_MOST_SKIPS]
                    report["canary"] = _canaries_end(kinds, result) if report["passed"] else "not due"
                    hand_over(json.dumps(report).encode())

    try:
        Program(module=None)
    except SystemExit:
        raise
    except BaseException:
        raise_as_own()
        raise


def _watching(passed: "set[str]", skips: "list[tuple[str, str]]") -> "type[unittest.TextTestRunner]":
    """What runs tests as unittest does, and notes which passed, and what others were kept from that by.

    Args:
        passed: gets the ids of those that passed.
        skips: gets the others, by their file, and the file that did that, as far as it is known.
    """
    import unittest

    def left_out(test: "Any") -> None:
        skips.append((_place(test), skipping_file(sys.exc_info()[1], type(test), os.getcwd())))

    class Watching(unittest.TextTestRunner):
        def _makeResult(self) -> "Any":  # noqa: N802
            result: Any = super()._makeResult()

            def before(name: str, note: "Callable[[Any], None]") -> None:
                own = getattr(result, name)

                def noted(test: "Any", *rest: "Any") -> None:
                    note(test)
                    own(test, *rest)

                setattr(result, name, noted)

            before("addSuccess", lambda test: passed.add(test.id()))
            before("addSkip", left_out)
            before("addExpectedFailure", left_out)
            return result

    return Watching


def _place(test: "Any") -> str:
    """A test as pytest names it: its file and the names in it."""
    # Of a class that is skipped as a whole, `setUpClass (MODULE.CLASS)` is all that there is.
    name, _, owner = test.id().partition(" (")
    name = owner.rstrip(")") if name in ("setUpClass", "setUpModule") else name
    words = name.split(".")
    for count in range(len(words), 0, -1):
        file = getattr(sys.modules.get(".".join(words[:count])), "__file__", None)
        if file:
            return "::".join((os.path.relpath(os.path.realpath(file)), *words[count:]))
    return str(name)


def _named(program: "Any") -> "list[tuple[str, set[str]]]":
    """What the command itself names, with the ids of the tests that are in it."""
    words, suites = vars(program).get("testNames") or (), vars(program).get("test") or ()
    ids = [{test.id() for test in _tests(suite)} for suite in suites]
    return list(zip(map(str, words), ids))  # noqa: B905 - as many of both, and older Pythons


def _tests(test: "object") -> "list[unittest.TestCase]":
    """The tests of a suite, in order."""
    import unittest

    if isinstance(test, unittest.TestSuite):
        return [inner for item in test for inner in _tests(item)]
    return [test] if isinstance(test, unittest.TestCase) else []


def _kinds(test: "object") -> "list[type[unittest.TestCase]]":
    """The classes of the tests, each once, in order."""
    import unittest

    tests = [item for item in _tests(test) if not isinstance(item, unittest.FunctionTestCase)]
    return list(dict.fromkeys(map(type, tests)))


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
        "__unittest_skip__": False,
        "__unittest_expecting_failure__": False,
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
    return {
        "runner": "unittest",
        "ended": True,
        "failed": len(result.failures),
        "errors": len(result.errors),
        "skipped": len(result.skipped),
        "xfailed": len(result.expectedFailures),
        "xpassed": len(result.unexpectedSuccesses),
    }


if __name__ == OWN_NAME:
    run()
