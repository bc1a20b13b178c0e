"""Tells whether generated code can run safely here, and what to do if it can't: findings as data, then text.

It looks and tries, and changes nothing, except that it makes the environment of a project without packages if
that is not kept yet, and that to try control groups of version 2 it may have to move the processes of its own
one into a group below. Of a key it tells whether it is set, never its value.
"""

import platform
import resource
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from factory.commands.diagnosis.languages import LanguageFinding, look_at_languages
from factory.commands.diagnosis.observation import Observation, State
from factory.commands.diagnosis.packages import packages_here
from factory.commands.diagnosis.services import services_here
from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import JsonObject
from factory.environments.bare import bare_environment
from factory.environments.provide import environments_in
from factory.runs.inputs import environment_record
from factory.runs.record.model import EnvironmentRecord
from factory.system.git.client import MINIMUM_VERSION as OLDEST_GIT
from factory.system.process.capture import capture
from factory.system.sandbox.kernel.find import find_control_groups
from factory.system.sandbox.levels.choose import Level, Requested, choose, levels
from factory.system.sandbox.levels.self_attack import broken_out
from factory.system.sandbox.policy import Resources
from factory.system.sandbox.port import Sandbox
from factory.system.terminal.console import visible

OLDEST_PYTHON = (3, 11)

_MARKS: dict[State, str] = {"ok": "ok", "warning": "warn", "error": "FAIL"}
_KEYS = {
    "OPENAI_API_KEY": "models of OpenAI and servers compatible with them",
    "OPENAI_BASE_URL": "a server other than OpenAI's",
}


class Diagnosis(BaseModel):
    """All findings.

    Attributes:
        findings: in the order in which they are told.
        sandbox: the level that a run would use; None if it would be refused.
        environment: what commands of a project find that declares nothing; None if it can't be made.
        languages: what is known of each.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    findings: tuple[Observation, ...]
    sandbox: str | None
    environment: EnvironmentRecord | None = None
    languages: tuple[LanguageFinding, ...] = ()

    @property
    def would_run(self) -> bool:
        """Whether a run would not be refused."""
        return all(finding.state != "error" for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """0 if a run would not be refused, else 1."""
        return 0 if self.would_run else 1


def diagnose(
    environment: Mapping[str, str],
    *,
    requested: Requested = "auto",
    allow_unsandboxed: bool = False,
    repo: Path | None = None,
    project: RepoPath | None = None,
) -> Diagnosis:
    """Look at everything that a run needs, and try the sandbox.

    Args:
        environment: the factory's own environment.
        requested: the level that a run would ask for.
        allow_unsandboxed: whether the run would say that it may do without.
        repo: where the run would be; what is no git repository configures nothing.
        project: the directory that is the only project; None for the whole repository.
    """
    tried = tuple(levels(environment))
    sandbox, findings = _try_sandbox(environment, requested, allow_unsandboxed)
    chosen = sandbox.level if sandbox is not None else None
    kept = () if sandbox is None else (_bounds(sandbox),)
    provided, packages = _environment(environment)
    languages = look_at_languages(repo, environment, project)
    return Diagnosis(
        findings=(
            _git(environment),
            _python(),
            packages,
            *(_level(level) for level in tried),
            *findings,
            _limits(chosen),
            *kept,
            *(_language(language) for language in languages if language.is_here),
            *packages_here(repo, environment, project),
            *services_here(repo, environment, chosen, project),
            *_model(environment),
        ),
        sandbox=chosen,
        environment=provided,
        languages=languages,
    )


def as_text(diagnosis: Diagnosis) -> str:
    """One line for each finding, and below it how to fix it."""
    width = max(len(finding.name) for finding in diagnosis.findings)
    lines = []
    for finding in diagnosis.findings:
        lines.append(f"{_MARKS[finding.state]:5} {finding.name:{width}}  {visible(finding.found)}")
        lines += [f"{'':8}{line}" for line in finding.fix]
    if diagnosis.would_run:
        lines.append(f"a run would use the sandbox `{diagnosis.sandbox}`")
    else:
        lines.append("a run would be refused")
    return "\n".join(lines)


def as_json(diagnosis: Diagnosis) -> JsonObject:
    """The same as a JSON object."""
    document: dict[str, Any] = diagnosis.model_dump(mode="json")
    return {**document, "would_run": diagnosis.would_run}


def _git(environment: Mapping[str, str]) -> Observation:
    fix = (f"install git {OLDEST_GIT} or newer:", "apt-get install git")
    if shutil.which("git", path=environment.get("PATH")) is None:
        return Observation(name="git", state="error", found="not on PATH", fix=fix)
    said = capture(["git", "--version"], cwd=None, env=dict(environment)).stdout.decode("utf-8", "replace")
    version = next((word for word in said.split() if word[0].isdigit()), "")
    old = _numbers(version) < _numbers(OLDEST_GIT)
    return Observation(
        name="git", state="error" if old else "ok", found=version or "unknown", fix=fix if old else ()
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _python() -> Observation:
    old = sys.version_info < OLDEST_PYTHON
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Observation(
        name="python",
        state="error" if old else "ok",
        found=f"{platform.python_version()}, {sys.executable}",
        fix=(f"install Python {oldest} or newer",) if old else (),
    )


def _environment(own: Mapping[str, str]) -> tuple[EnvironmentRecord | None, Observation]:
    """What commands find where nothing is declared; it is made if it is not kept yet."""
    try:
        cache = environments_in(own)
        with bare_environment(cache) as environment:
            record = environment_record(environment)
    except WorkorderError as refusal:
        fix = (refusal.hint,) if refusal.hint else ()
        return None, Observation(name="environment", state="error", found=refusal.headline, fix=fix)
    found = f"{record.description}, kept in {cache.folder}"
    return record, Observation(name="environment", state="ok", found=found)


def _language(language: LanguageFinding) -> Observation:
    """A language of the repository around the current directory."""
    missing = language.missing
    return Observation(
        name=language.name,
        state="warning" if missing else "ok",
        found=language.found,
        fix=(f"install {', '.join(missing)}, or put it on PATH",) if missing else (),
    )


def _level(level: Level) -> Observation:
    name = f"sandbox {level.name}"
    if level.sandbox is None:
        return Observation(name=name, state="warning", found=level.reason, fix=level.remedies)
    gaps = f"; but {'; '.join(level.sandbox.gaps)}" if level.sandbox.gaps else ""
    return Observation(name=name, state="ok", found=f"works ({level.sandbox.version}){gaps}")


def _try_sandbox(
    environment: Mapping[str, str], requested: Requested, allow_unsandboxed: bool
) -> tuple[Sandbox | None, tuple[Observation, ...]]:
    """The sandbox that a run would use, and what came of attacking it."""
    try:
        sandbox = choose(requested, allow_unsandboxed=allow_unsandboxed, environment=environment)
    except WorkorderError as refusal:
        fix = tuple(line.strip() for line in refusal.hint.splitlines())
        return None, (Observation(name="sandbox", state="error", found=refusal.message, fix=fix),)
    if sandbox.level == "none":
        warning = "switched off: generated code may do whatever you may do"
        return sandbox, (Observation(name="sandbox", state="warning", found=warning),)
    succeeded = broken_out(sandbox)
    if succeeded is None:
        finding = Observation(name="self-attack", state="error", found="it could not be carried out")
    elif succeeded:
        finding = Observation(
            name="self-attack",
            state="error",
            found=f"generated code can {', '.join(succeeded)}",
            fix=("report this, with the output of `factory doctor --json`",),
        )
    else:
        finding = Observation(
            name="self-attack", state="ok", found=f"every attempt failed inside {sandbox.level}"
        )
    return sandbox, (finding,)


def _limits(chosen: str | None) -> Observation:
    """What limits can be kept here: the kernel's by processes, and the watch's for all of them together."""
    if chosen is None or sys.platform != "linux":
        return Observation(name="limits", state="warning", found="elapsed time and output alone")
    defaults = Resources()
    kept = ("cpu", "memory", "processes", "file size", "bytes written", "files written", "output")
    own = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    text = "; ".join(defaults.description(limit) for limit in kept)
    few = own != resource.RLIM_INFINITY and own < 1_024
    return Observation(
        name="limits",
        state="warning" if few else "ok",
        found=f"at most {own} open files; {text}" if few else text,
        fix=("raise the limit of open files:", "ulimit -n 1024") if few else (),
    )


def _bounds(sandbox: Sandbox) -> Observation:
    """What keeps the limits on processes and memory: the kernel, or a watch that load can slow down."""
    discovery = find_control_groups()
    kept = discovery.bounds(sandbox.bounds_processes)
    text = f"processes by {kept.processes}, memory by {kept.memory}"
    return Observation(
        name="bounds",
        state="warning" if kept.gap else "ok",
        found=f"{text}; {kept.reason}" if kept.gap else text,
        fix=kept.remedies,
    )


def _model(environment: Mapping[str, str]) -> tuple[Observation, ...]:
    return tuple(
        Observation(
            name=name,
            state="ok",
            found=f"{'set' if environment.get(name) else 'not set'}; for {purpose}",
        )
        for name, purpose in _KEYS.items()
    )
