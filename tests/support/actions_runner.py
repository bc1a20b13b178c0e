"""As much of GitHub's runner as the templates use: expressions, steps, composite actions, commands in output.

Not for actions of others: what `actions/…` do is done by a function that the test gives.
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|\|\||&&|==|!=|[(),\[\]]|[0-9]+|[A-Za-z_][\w.-]*)")
_COMMAND = re.compile(r"\s*::([a-z-]+|[0-9a-f]{64})( [^:]*)?::(.*)")


class Expression:
    """An expression, evaluated as it is read.

    Args:
        text: what stands between `${{` and `}}`.
        values: of all names that it may use, such as `inputs.plan`; what is not there is empty.
    """

    def __init__(self, text: str, values: Mapping[str, str]) -> None:
        self._tokens = _TOKEN.findall(text)
        assert "".join(self._tokens) == re.sub(r"\s+(?=(?:[^']*'[^']*')*[^']*$)", "", text), text
        self._values = values
        self.value = self._either()
        assert not self._tokens, text

    def _next(self, *wanted: str) -> str:
        return self._tokens.pop(0) if self._tokens and (self._tokens[0] in wanted or not wanted) else ""

    def _either(self) -> str:
        value = self._both()
        while self._next("||"):
            other = self._both()
            value = value or other
        return value

    def _both(self) -> str:
        value = self._compared()
        while self._next("&&"):
            other = self._compared()
            value = value and other
        return value

    def _compared(self) -> str:
        value = self._one()
        if operator := self._next("==", "!="):
            return "true" if (value == self._one()) is (operator == "==") else ""
        return value

    def _one(self) -> str:
        token = self._next()
        if token == "(":
            value = self._either()
            assert self._next(")")
            return value
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if not self._next("("):
            return self._values.get(token, "")
        arguments = []
        while not self._next(")"):
            arguments.append(self._either())
            self._next(",")
        if token == "fromJSON":
            # Of a list, one of its texts; what is beyond its end is empty.
            assert self._next("[")
            place = int(self._next())
            assert self._next("]")
            return "".join(json.loads(arguments[0])[place : place + 1])
        if token == "format":
            return re.sub(r"\{([0-9])\}", lambda number: arguments[int(number[1]) + 1], arguments[0])
        assert (token, arguments) == ("always", []), token
        return "true"


def filled(text: object, values: Mapping[str, str]) -> str:
    """A text with its expressions evaluated."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: Expression(found[1].strip(), values).value, str(text))


@dataclass
class Machine:
    """A machine that runs the steps of one job.

    Attributes:
        folder: where its files go; `workspace` and `temporary` are in it.
        environment: what every step sees.
        action: how an action of others is carried out: its name and its settings are given.
        own_actions: the folder of the actions that the repository has itself.
        skipped: the names of steps that are left out, as they need a network.
        descriptors: what steps inherit beside their streams.
        output: what was printed.
        obeyed: the commands in the output that the runner would obey, by step.
        summary: the summary of the job.
        shown: the steps of the job by their names, and how each ended.
    """

    folder: Path
    environment: Mapping[str, str]
    action: Callable[[str, dict[str, str]], None]
    own_actions: Path
    skipped: tuple[str, ...] = ()
    descriptors: tuple[int, ...] = ()
    output: str = ""
    obeyed: list[tuple[str, str, str]] = field(default_factory=list)
    summary: str = ""
    shown: list[tuple[str, str]] = field(default_factory=list)

    @property
    def workspace(self) -> Path:
        """Where the checkout is."""
        return self.folder / "workspace"

    @property
    def temporary(self) -> Path:
        """The runner's own directory for temporary files."""
        return self.folder / "temporary"

    def run(self, steps: list[dict[str, Any]], values: dict[str, str], env: Mapping[str, str]) -> bool:
        """Run the steps of the job in order; whether all passed.

        Args:
            steps: as they stand in the file.
            values: what expressions may use; the outputs of the steps are added.
            env: of the workflow.
        """
        self.temporary.mkdir(parents=True, exist_ok=True)
        values["runner.temp"] = str(self.temporary)
        for name, passed in self._in_order(steps, values, env):
            self.shown.append((name, {True: "passed", False: "failed", None: "skipped"}[passed]))
        return all(ending != "failed" for _, ending in self.shown)

    def _in_order(
        self, steps: list[dict[str, Any]], values: dict[str, str], env: Mapping[str, str]
    ) -> Iterator[tuple[str, bool | None]]:
        """Run steps; the name of each, which is known before it is skipped, and whether it passed."""
        all_passed = True
        for step in steps:
            name = filled(step.get("name", step.get("uses")), values)
            condition = str(step.get("if", "")).removeprefix("${{").removesuffix("}}").strip()
            passed = None
            if self._is_due(condition, all_passed, values) and step.get("name") not in self.skipped:
                passed = self._step(step, values, env)
                all_passed = all_passed and passed
            yield name, passed

    @staticmethod
    def _is_due(condition: str, all_passed: bool, values: Mapping[str, str]) -> bool:
        # What failed before is asked first, and the rest only then.
        if "always()" not in condition and not all_passed:
            return False
        return not condition or bool(Expression(condition, values).value)

    def _step(self, step: dict[str, Any], values: dict[str, str], env: Mapping[str, str]) -> bool:
        own = {name: filled(value, values) for name, value in step.get("env", {}).items()}
        if "run" in step:
            outputs, passed = self._shell(step, {**env, **own})
        elif str(step["uses"]).startswith("$/"):
            outputs, passed = self._composite(step, values, {**env, **own})
        else:
            given = {name: filled(value, values) for name, value in step.get("with", {}).items()}
            self.action(str(step["uses"]).partition("@")[0], given)
            outputs, passed = {}, True
        if "id" in step:
            values.update({f"steps.{step['id']}.outputs.{name}": text for name, text in outputs.items()})
        return passed

    def _composite(
        self, step: dict[str, Any], values: Mapping[str, str], env: Mapping[str, str]
    ) -> tuple[dict[str, str], bool]:
        part = step["uses"].removeprefix("$/.github/actions/workorder")
        action = yaml.safe_load((self.own_actions / part.removeprefix("/") / "action.yml").read_text())
        given, known = set(step.get("with", {})), action["inputs"]
        assert {name for name, told in known.items() if told.get("required")} <= given <= set(known)
        inner = {name: value for name, value in values.items() if not name.startswith(("inputs.", "steps."))}
        inner = {name: value for name, value in inner.items() if not name.startswith("secrets.")}
        for name, told in known.items():
            value = step.get("with", {}).get(name)
            inner[f"inputs.{name}"] = str(told.get("default", "")) if value is None else filled(value, values)
        ended = list(self._in_order(action["runs"]["steps"], inner, env))
        passed = all(passed is not False for _, passed in ended)
        outputs = action.get("outputs", {})
        return {name: filled(output["value"], inner) for name, output in outputs.items()}, passed

    def _shell(self, step: dict[str, Any], env: Mapping[str, str]) -> tuple[dict[str, str], bool]:
        outputs, summary = self.temporary / "outputs", self.temporary / "summary"
        for file in (outputs, summary):
            file.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.workspace,
            env={
                **self.environment,
                **env,
                "GITHUB_OUTPUT": str(outputs),
                "GITHUB_STEP_SUMMARY": str(summary),
                "RUNNER_TEMP": str(self.temporary),
            },
            pass_fds=self.descriptors,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.output += done.stdout
        self._obey(step["name"], done.stdout)
        assert summary.stat().st_size < 1_048_576
        self.summary += summary.read_text()
        pairs = [line.partition("=") for line in outputs.read_text().splitlines()]
        return {name: value for name, _, value in pairs}, done.returncode == 0

    def _obey(self, step: str, output: str) -> None:
        """Note the commands that are obeyed: none between `stop-commands` and its token."""
        stopped = ""
        for line in output.splitlines():
            found = _COMMAND.fullmatch(line)
            if found is None or (stopped and found[1] != stopped):
                continue
            if found[1] == "stop-commands":
                stopped = found[3]
                # Nobody who prints between the marks can know it.
                assert re.fullmatch("[0-9a-f]{64}", stopped)
            elif found[1] == stopped:
                stopped = ""
            else:
                self.obeyed.append((step, found[1], found[3]))
