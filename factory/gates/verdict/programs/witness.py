"""The witness of a session of pytest, a plugin, and the canary: a test that must fail.

The canary is among the others while they are chosen, so that what changes all tests changes it, too. It is
run by itself after them, and shown and counted nowhere: what makes every test pass makes that one pass.
"""

import os
import sys
import types

# With what pytest imports later only, and which is remembered here.
import unittest
from typing import Any

import _pytest.fixtures
import _pytest.skipping
import _pytest.unittest
import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from factory.gates.verdict.programs.left_out import skipping_file
    from factory.gates.verdict.programs.unchanged import remember
    from factory.gates.verdict.programs.unreplaced import Sources

_MOST_PLUGINS = 100
_MOST_DOUBLES = 100
_MOST_SKIPS = 100
# Marks by which a test is not run, or run several times.
_MARKS_OF_ITS_OWN = ("filterwarnings", "parametrize", "skip", "skipif", "usefixtures", "xfail")
# What would show the canary to the user, or count it.
_SILENT = (
    "pytest_exception_interact",
    "pytest_runtest_logfinish",
    "pytest_runtest_logreport",
    "pytest_runtest_logstart",
    "pytest_warning_recorded",
)


class Apart:
    """The hooks of the canary: what would show or count it keeps its reports instead."""

    def __init__(self, hooks, reports):
        self._hooks, self._reports = hooks, reports

    def __getattr__(self, name):
        hook = getattr(self._hooks, name)
        return Silent(self._reports) if name in _SILENT else hook


class Silent:
    """A hook that nobody implements."""

    def __init__(self, reports):
        self._reports = reports

    def __call__(self, **values):
        if "report" in values:
            self._reports.append(values["report"])
        return []

    call_historic = __call__

    def get_hookimpls(self):
        return []


class Canary(pytest.Function):
    """A test that must fail, among the others while they are chosen, and by itself when it is run."""

    @property
    def ihook(self):
        return Apart(super().ihook, self.__dict__.setdefault("reports_apart", []))


class Witness:
    def __init__(self, words: "list[str]") -> None:
        self._words = words
        self.ended, self.lists = False, False
        self.collected, self.deselected = 0, []  # type: int, list[Any]
        self.outcomes: dict[str, dict[str, Any]] = {}
        self.items: list[Any] = []
        self.canary, self.canary_end = None, "not due"
        self.facts: dict[str, Any] = {"named": [], "plugins": [], "addopts": []}
        self.left: set[str] = set()
        self._sources, self._replaced = Sources(words), remember()
        self.patched: list[str] = []
        self.usual_names = False
        self.skips: dict[str, str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config):
        names = [list(config.getini(kind)) for kind in ("python_functions", "python_classes")]
        self.usual_names = names == [["test"], ["Test"]]
        # Tests that run in other processes are nothing that this one could report.
        if getattr(config.option, "dist", "no") != "no":
            config.option.dist, config.option.tx, config.option.numprocesses = "no", [], None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, session, items):
        # Also what puts itself back when the tests run.
        self.patched = self._replaced()
        self.collected, self.items = len(items), list(items)
        if items:
            self.canary = _canary(Canary, session, items[-1])
            session.config.hook.pytest_itemcollected(item=self.canary)
            items.append(self.canary)
        try:
            return (yield)
        finally:
            items[:] = [item for item in items if item is not self.canary]
            if os.environ.get("WORKORDER_TEST_ORDER") == "reversed":
                items[:] = _reversed(items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_deselected(self, items):
        if isinstance(items, list) and self.canary in items:
            items.remove(self.canary)
        self.deselected += [item for item in items if item is not self.canary]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session):
        self.lists = bool(session.config.option.collectonly)
        result = yield
        self.patched += [name for name in self._replaced() if name not in self.patched]
        self.left = {item.nodeid for item in [*session.items, *self.deselected]}
        if self.canary is not None and session.items and not self.lists:
            self.canary_end = self._canary_end(session)
        self.facts = _facts(session.config, self._words)
        self.ended = True
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        before = call.excinfo
        report = yield
        if not isinstance(item, Canary):
            if call.when == "setup":
                self.outcomes[item.nodeid] = {"raised": False, "replaced": False, "reports": [], "phases": []}
            seen = self.outcomes.get(item.nodeid)
            if seen is not None:
                # Of unittest's own tests only pytest's implementation of this hook knows the exception.
                raised = [error for error in (before, call.excinfo) if error is not None]
                seen["raised"] = seen["raised"] or bool(raised)
                if report.skipped:
                    error = raised[0].value if raised and isinstance(raised[0].value, _SKIPPING) else None
                    self.skips[item.nodeid] = self._skipping_file(error, item)
                seen["phases"].append(call.when)
                if call.when == "call":
                    seen["replaced"] = self._sources.differ(item)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report):
        if report.skipped and isinstance(report.longrepr, tuple):
            self.skips[report.nodeid] = os.path.relpath(os.path.realpath(report.longrepr[0]))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        seen = self.outcomes.get(report.nodeid)
        if seen is not None:
            expected = hasattr(report, "wasxfail")
            seen["reports"].append((report.when, report.outcome, expected))

    def report(self, status: int) -> "dict[str, Any]":
        ends = {test: _outcome(seen) for test, seen in self.outcomes.items()}
        named = [
            {
                "word": _plain(word),
                "passed": sum(ends.get(item.nodeid) == "passed" for item in self.items if within(item)),
                "deselected": sum(within(item) for item in self.deselected),
                "vanished": sum(within(item) and item.nodeid not in self.left for item in self.items)
                + (self._sources.uncollected(word, self.items) if self.usual_names else 0),
            }
            for word, within in self.facts["named"]
        ]
        return {
            "runner": "pytest",
            "ended": self.ended,
            "exit_status": status,
            "lists": self.lists,
            "collected": self.collected,
            "deselected": len(self.deselected),
            "outcomes": [[_plain(test), end] for test, end in ends.items()],
            "named": named,
            "skips": [[_plain(test), _plain(file)] for test, file in self._left_out(ends)],
            "canary": self.canary_end,
            "plugins": self.facts["plugins"],
            "configuration": self.facts.get("configuration"),
            "addopts": self.facts["addopts"],
            "patched": self.patched,
        }

    def _left_out(self, ends):
        """What did not run or does not count, with the file that did that, as far as it is known."""
        left = {test: file for test, file in self.skips.items() if ends.get(test, "skipped") in _NOT_COUNTED}
        left.update((item.nodeid, "") for item in self.deselected)
        return list(left.items())[:_MOST_SKIPS]

    def _skipping_file(self, error, item):
        return skipping_file(error, getattr(item, "cls", None), str(item.config.invocation_params.dir))

    def _canary_end(self, session):
        """How the canary ended, and others that nobody has seen before; as the first that did not fail.

        Each goes by the name of another test: what makes a certain test pass makes one of these pass.
        """
        named = _named_tests(session.config, self._words)
        passed = [item for item in session.items if _passed(self.outcomes.get(item.nodeid))]
        # Those that the command names last, which is where they are taken from.
        passed.sort(key=lambda item: any(within(item) for _, within in named))
        doubles = passed[-_MOST_DOUBLES:] or session.items[-1:]
        canaries = [self.canary, *(_canary(Canary, session, item) for item in doubles[1:])]
        for canary, item in zip(canaries, doubles):  # noqa: B905 - as many of both, and older Pythons
            canary.name, canary._nodeid = item.name, item.nodeid
        ends = [_ended(canary, session) for canary in canaries]
        return next((end for end in ends if end != "failed"), "failed")


def _reversed(items):
    """The tests in the reverse order; those of a class stay in theirs, which may be steps of one story."""
    groups: list[tuple[Any, list[Any]]] = []
    for item in items:
        owner = getattr(item, "cls", None)
        if owner is None or not groups or groups[-1][0] is not owner:
            groups.append((owner, []))
        groups[-1][1].append(item)
    return [item for _, group in reversed(groups) for item in group]


def _canary(kind, session, like):
    """A test that fails, beside another one as far as can be seen."""
    name = f"test_{os.urandom(4).hex()}"
    names: dict[str, Any] = {}
    exec(compile(f"def {name}():\n    assert not 1\n", str(like.path), "exec"), names)
    module = pytest.Module.from_parent(session, path=like.path)
    module._obj = types.ModuleType(like.path.stem)
    setattr(module._obj, name, names[name])
    # Without fixtures: those of the project are set up for its own tests only.
    without = _pytest.fixtures.FuncFixtureInfo((), (), [], {})
    canary = kind.from_parent(module, name=name, callobj=names[name], fixtureinfo=without)
    # Some projects refuse tests without certain marks.
    marks = [mark for mark in like.iter_markers() if mark.name not in _MARKS_OF_ITS_OWN]
    canary.own_markers.extend(marks)
    canary.keywords.update((mark.name, mark) for mark in marks)
    return canary


def _ended(canary, session):
    """How the canary ended: `failed` as it must, `passed` or `skipped`, or `unreported`."""
    last = {name: getattr(sys, name) for name in _LAST if hasattr(sys, name)}
    options = session.config.option
    shown, options.setupshow = getattr(options, "setupshow", False), False
    try:
        session.config.hook.pytest_runtest_protocol(item=canary, nextitem=None)
    except (Exception, SystemExit, pytest.exit.Exception):
        # A hook that ends the session at a failure has seen one.
        return "failed"
    finally:
        options.setupshow = shown
        for name in _LAST:
            if hasattr(sys, name):
                delattr(sys, name)
        for name, value in last.items():
            setattr(sys, name, value)
    reports = {report.when: report for report in canary.__dict__.get("reports_apart", [])}
    call = reports.get("call")
    if call is None:
        setup = reports.get("setup")
        return "skipped" if setup is not None and setup.skipped else "unreported"
    return "failed" if call.failed else "skipped" if call.skipped else "passed"


_SKIPPING = (pytest.skip.Exception, pytest.xfail.Exception, unittest.SkipTest)
_NOT_COUNTED = ("skipped", "xfailed")
_LAST = ("last_exc", "last_type", "last_value", "last_traceback")


def _passed(seen):
    return seen is not None and _outcome(seen) == "passed"


def _outcome(seen):
    ends = seen["reports"]
    for when, outcome, _ in ends:
        if outcome == "failed":
            return "failed" if when == "call" else "error"
    if any(outcome == "skipped" and expected for _, outcome, expected in ends):
        return "xfailed"
    if any(outcome == "passed" and expected for _, outcome, expected in ends):
        return "xpassed"
    if any(outcome == "skipped" for _, outcome, _ in ends):
        return "skipped"
    if seen["replaced"]:
        return "replaced"
    if seen["raised"]:
        return "changed"
    both = ("call" in seen["phases"], ("call", "passed", False) in ends)
    return "passed" if all(both) else "unreported"


def _facts(config, words):
    described = map(_described, config.pluginmanager.get_plugins())
    inside = [plugin for plugin in described if plugin is not None and plugin[1]]
    own = [
        {"file": _plain(file), "hooks": hooks}
        for file, hooks in sorted(inside)
        if _is_below(file, str(config.rootpath))
    ]
    for plugin in own:
        plugin["file"] = os.path.relpath(plugin["file"], config.rootpath)
    inipath = config.inipath
    return {
        "named": _named_tests(config, words),
        "plugins": own[:_MOST_PLUGINS],
        "configuration": None if inipath is None else _plain(os.path.relpath(inipath, config.rootpath)),
        "addopts": [_plain(str(word)) for word in config.getini("addopts")],
    }


def _named_tests(config, words):
    """What the command itself names, and what tells whether a test is in it."""
    if getattr(config.option, "pyargs", False):
        return []
    here = config.invocation_params.dir
    given = getattr(config.option, "file_or_dir", None) or []
    return [(word, _within(here, word)) for word in given if word in words]


def _within(here, word):
    """Whether a test is one that a word of the command names: a test, or a file or a directory above it."""
    path, *names = word.split("::")
    place = (here / path).resolve()
    inner = "::".join(names)

    def within(item):
        own = item.path.resolve()
        if not inner:
            return own == place or place in own.parents
        name = item.nodeid.partition("::")[2]
        return own == place and (name == inner or name.startswith((f"{inner}::", f"{inner}[")))

    return within


def _described(plugin):
    """The file of a plugin and the hooks that it has; None if it has no file."""
    owner = plugin if isinstance(plugin, types.ModuleType) else sys.modules.get(type(plugin).__module__)
    file = getattr(owner, "__file__", None)
    if not isinstance(file, str):
        return None
    return os.path.realpath(file), sorted(name for name in dir(plugin) if name.startswith("pytest_"))


def _is_below(file: str, root: str) -> bool:
    inside = os.path.relpath(file, os.path.realpath(root))
    return not inside.startswith("..") and "site-packages" not in inside.split(os.sep)


def _plain(text: str) -> str:
    return text[:2_000].encode("utf-8", "backslashreplace").decode()
