"""`factory show`: what happened in a run, told from its folder to a person."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel

from factory.attempt.failure import Failure
from factory.attempt.outcome import RunOutcome
from factory.builds.state.file import STATE_FILE
from factory.contract.documents import BadDocument
from factory.contract.errors import WorkorderError
from factory.contract.proposal import WriteProposal
from factory.gates.check import CheckResult, CommandResult
from factory.llm.port import Usage
from factory.people.adoptions import Adoption
from factory.report.figures import output_lines
from factory.report.workers import render_trial, trials_of
from factory.runs.record.files import (
    ADOPTION,
    ANSWER,
    CHECK_RESULTS,
    FAILURE_BRIEF,
    KILL_PROOF,
    LANDING_FOLDER,
    PROBE,
    PROPOSAL,
    RUN,
    SECOND_PASS,
    SUMMARY,
    WRITE_RESULT,
    Artifact,
)
from factory.runs.record.folder import attempts_in
from factory.runs.record.model import (
    AnswerRecord,
    CheckResults,
    ProbeResult,
    ProofResult,
    RunDocument,
    RunSummary,
    SecondPassResult,
    WriteResult,
)
from factory.system.terminal.console import one_line, visible

DocumentT = TypeVar("DocumentT", bound=BaseModel)
_SHOWN_IN_FULL: Final = (
    RunOutcome.LANDED,
    RunOutcome.ALREADY_LANDED,
    RunOutcome.PASSED,
    RunOutcome.FAILED,
)
"""The outcomes whose message says them."""


def show_run(folder: Path) -> str:
    """The story of a run.

    Args:
        folder: `OUT/RUN_ID`.

    Raises:
        WorkorderError: it is not the folder of a run, or a file in it is damaged.
    """
    if (folder / STATE_FILE).is_file():
        raise WorkorderError(
            "is the directory of a build, not the folder of a run",
            where=str(folder),
            hint=f"`factory status --out {folder}` tells where it stands; name OUT/RUN_ID to see a run",
        )
    run = RUN.read(folder)
    if run is None:
        raise WorkorderError(
            f"holds no {RUN.name}, so it is not the folder of a run",
            where=str(folder),
            hint="name OUT/RUN_ID, or a work order with --out OUT; `run` prints it as «artifacts»",
        )
    lines = [
        *_heading(run),
        *_render_document(ADOPTION, folder, _adopted),
        *_render_document(PROBE, folder, _probe),
    ]
    for number, attempt in attempts_in(folder):
        lines += ["", f"attempt {number}", *_attempt(attempt)]
    for number, attempt in attempts_in(folder / LANDING_FOLDER):
        lines += ["", f"attempt {number} again, on the branch's tip", *_attempt(attempt)]
    trials = trials_of(folder)
    if trials:
        lines += ["", "trials on workers", *(f"  {render_trial(trial)}" for trial in trials)]
    ending = _render_document(SUMMARY, folder, _ending)
    unknown = "the run has no summary: it is going on, or it was killed; the next run writes it"
    lines += ["", *(ending or [unknown])]
    return "\n".join(lines)


def _render_document(
    artifact: Artifact[DocumentT], folder: Path, lines: Callable[[DocumentT], list[str]]
) -> list[str]:
    """The lines of a document; none if it is not there. One that another version wrote is only named."""
    try:
        document = artifact.read(folder)
    except BadDocument as error:
        return [f"  {artifact.name} can't be shown: {error.message}"]
    return [] if document is None else lines(document)


def _heading(run: RunDocument) -> list[str]:
    lines = [
        f"{run.work_order}  {run.title}",
        f"  run {run.run_id} on {run.branch}, baseline {run.baseline[:12]}",
        f"  started {run.started}, ended {run.ended or 'not yet, or it was killed'}",
    ]
    if run.sandbox is not None:
        used = f"{run.sandbox.level} {run.sandbox.version}".rstrip()
        lines.append(f"  commands in the sandbox {used}, network: {run.sandbox.network}")
    if run.environment is not None:
        lines.append(f"  commands found {run.environment.description}")
    lines += [
        f"  in {visible(project.directory)}: {project.environment.description}" for project in run.projects
    ]
    lines += [f"  {language.name} lacks {', '.join(language.lacks)}" for language in run.languages]
    return lines


def _adopted(adoption: Adoption) -> list[str]:
    """Whose work it was."""
    lines = [f"  the work of {one_line(adoption.author)}, from {one_line(adoption.source)}"]
    if adoption.widened:
        lines.append(f"  beyond the work order's files, as they allow: {', '.join(adoption.widened)}")
    return lines


def _probe(result: ProbeResult) -> list[str]:
    """The commands that passed before the work, although others failed as they should."""
    weak = [command.command for command in result.commands if command.weak]
    return [f"  weak acceptance: `{command}` passes before the work is done" for command in weak]


def _attempt(folder: Path) -> list[str]:
    lines = [
        *_render_document(ANSWER, folder, _answer),
        *_render_document(PROPOSAL, folder, _proposal),
        *_render_document(WRITE_RESULT, folder, _written),
    ]
    for results in CHECK_RESULTS.values():
        lines += _render_document(results, folder, _checks)
    return [
        *lines,
        *_render_document(SECOND_PASS, folder, _again),
        *_render_document(KILL_PROOF, folder, _mutants),
        *_render_document(FAILURE_BRIEF, folder, _failure),
    ]


def _answer(answer: AnswerRecord) -> list[str]:
    return [f"  SE  {answer.model} answered: {_tokens(answer.usage)}"]


def _proposal(proposal: WriteProposal) -> list[str]:
    return [
        *output_lines(" ".join(proposal.summary.split())[:300], "      "),
        *(f"      remark: {one_line(remark)}" for remark in proposal.remarks),
    ]


def _written(result: WriteResult) -> list[str]:
    return [f"  TR  wrote {', '.join(result.written)}" if result.applied else "  TR  refused the proposal"]


def _checks(results: CheckResults) -> list[str]:
    return [line for check in results.checks for line in _check(check)]


def _check(check: CheckResult) -> list[str]:
    state, note = "passed" if check.failure is None else "failed", check.note
    if not check.gates and (check.failure is not None or not check.commands):
        state = "reports"
        if check.failure is None and not note:
            return []
    if note.startswith("skipped: "):
        state, note = "skipped", note.removeprefix("skipped: ")
    lines = [f"  PO  {state:7}  {check.name}" + (f" ({note})" if note else "")]
    lines += [f"               {check.removal}"] if check.removed_tests else []
    for command in check.commands:
        known = f"  (by {command.verdict})" if command.exit_code == 0 and not command.shortcoming else ""
        lines.append(f"               {ended_how(command)}  {command.seconds} s  {command.command}{known}")
        lines += [f"                 {line}" for line in _reported(command)]
    return lines


def _reported(command: CommandResult) -> list[str]:
    """What a runner reported of a command, and what of the project takes part in its session."""
    lines = [f"proves nothing: {visible(command.shortcoming)}"] if command.shortcoming else []
    summary = command.summary
    if summary is None:
        return lines
    counts = summary.model_dump(exclude={"plugins", "configuration", "addopts"})
    lines.append(", ".join(f"{count} {name}" for name, count in counts.items() if count) or "no tests")
    if summary.addopts:
        lines.append(
            f"options of {visible(summary.configuration or '')}: {visible(' '.join(summary.addopts))}"
        )
    for plugin in summary.plugins:
        lines.append(f"hooks of {visible(plugin.file)}: {', '.join(map(visible, plugin.hooks))}")
    return lines


def ended_how(command: CommandResult) -> str:
    """How a command ended, in a word or two."""
    if command.not_started:
        return "not started"
    if command.killed:
        return f"killed: {command.killed}"
    if command.timed_out:
        return "timed out"
    return f"signal {command.signal}" if command.signal is not None else f"exit {command.exit_code}"


def _again(result: SecondPassResult) -> list[str]:
    """The second pass in a line."""
    if result.stable:
        return [f"  again: acceptance passes with another {', '.join(result.differences)}"]
    by = f" with another {', '.join(result.changed_by)}" if result.changed_by else ""
    return [f"  again: acceptance fails{by}"]


def _mutants(proof: ProofResult) -> list[str]:
    """The kill proof: what was noticed, by whom, and what was not."""
    gaps = [f"  no mutants of {visible(source.path)}: {source.why}" for source in proof.unchanged]
    if not proof.fates:
        return gaps or ["  mutants: nothing to change, so not measured"]
    survivors = [f"{fate.path}:{fate.line} ({fate.change})" for fate in proof.fates if fate.killed_by is None]
    line = f"  mutants: {len(proof.fates) - len(survivors)} of {len(proof.fates)} noticed"
    scores = proof.scores
    if scores is not None:
        line += f" (by acceptance {scores.acceptance}, by verification {scores.verification})"
    lines = [f"{line}; not {', '.join(survivors)}" if survivors else line, *gaps]
    if scores is not None and scores.shortcoming:
        lines.append(f"  {scores.shortcoming}")
    idle = sum(fate.executed is False for fate in proof.fates)
    return [*lines, f"  {idle} of these lines the checks do not execute"] if idle else lines


def _failure(failure: Failure) -> list[str]:
    lines = [f"  failed at {failure.stage} ({failure.failure_class})", f"      {failure.headline}"]
    lines += output_lines(failure.excerpt, "      ")
    return [*lines, f"      hint: {failure.hint}"] if failure.hint else lines


def _ending(summary: RunSummary) -> list[str]:
    message = summary.message
    lines = [message if summary.outcome in _SHOWN_IN_FULL else f"{summary.outcome}: {message}"]
    if summary.hint:
        lines.append(f"  hint: {summary.hint}")
    answers = summary.model_answers
    if summary.usage is not None and answers:
        count = f"{answers} answer{'s' if answers != 1 else ''}"
        cost = f", ${summary.cost_usd}" if summary.cost_usd is not None else ""
        lines.append(f"  {count}, {_tokens(summary.usage)}{cost}")
    return lines


def _tokens(usage: Usage) -> str:
    about = "about " if usage.estimated else ""
    return f"{about}{usage.input_tokens} tokens in, {usage.output_tokens} out"
