"""`factory show`: what happened in a run, told from its folder to a person."""

from pathlib import Path
from typing import Final

from factory.attempt.outcome import RunOutcome
from factory.builds.state.file import STATE_FILE
from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject, JsonValue, read_json
from factory.report.figures import output_lines
from factory.runs.record.artifacts import LANDING_FOLDER, RUN_FILE, SUMMARY_FILE
from factory.system.files.tree import read_bounded

_CHECK_FILES: Final = ("interfaces_result.json", "verify_result.json", "acceptance_result.json")
_TOLD_IN_FULL: Final = (
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
    if not (folder / RUN_FILE).is_file():
        raise WorkorderError(
            f"holds no {RUN_FILE}, so it is not the folder of a run",
            where=str(folder),
            hint="name OUT/RUN_ID; `run` prints it as «artifacts»",
        )
    run = _read(folder / RUN_FILE)
    summary = _read(folder / SUMMARY_FILE) if (folder / SUMMARY_FILE).is_file() else {}
    lines = [
        f"{_text(run, 'work_order')}  {_text(run, 'title')}",
        f"  run {_text(run, 'run_id')} on {_text(run, 'branch')}, baseline {_text(run, 'baseline')[:12]}",
        f"  started {_text(run, 'started')}, ended {_text(run, 'ended') or 'not yet, or it was killed'}",
    ]
    sandbox = _object(run.get("sandbox"))
    if sandbox:
        used = f"{_text(sandbox, 'level')} {_text(sandbox, 'version')}".rstrip()
        lines.append(f"  commands in the sandbox {used}, network: {_text(sandbox, 'network')}")
    for attempt in sorted(folder.glob("attempt_*"), key=_number):
        lines += ["", f"attempt {_number(attempt)}", *_attempt(attempt)]
    for attempt in sorted(folder.glob(f"{LANDING_FOLDER}/attempt_*"), key=_number):
        lines += ["", f"attempt {_number(attempt)} again, on the branch's tip", *_attempt(attempt)]
    lines += ["", *_ending(summary)]
    return "\n".join(lines)


def _mutants(proof: JsonObject) -> str:
    """The kill proof in a line."""
    fates = [_object(fate) for fate in _list(proof.get("fates"))]
    if not fates:
        return "  mutants: nothing to change, so not measured"
    survivors = [fate for fate in fates if fate.get("killed_by") is None]
    told = [f"{_text(fate, 'path')}:{_text(fate, 'line')} ({_text(fate, 'change')})" for fate in survivors]
    line = f"  mutants: {len(fates) - len(survivors)} of {len(fates)} noticed"
    return f"{line}; not {', '.join(told)}" if told else line


def _attempt(folder: Path) -> list[str]:
    lines = []
    if (folder / "llm_usage.json").is_file():
        answer = _read(folder / "llm_usage.json")
        usage = _object(answer.get("usage"))
        about = "about " if usage.get("estimated") else ""
        lines.append(
            f"  SE  {_text(answer, 'model')} answered: {about}{_text(usage, 'input_tokens')} tokens in,"
            f" {_text(usage, 'output_tokens')} out"
        )
    if (folder / "proposed_writes.json").is_file():
        proposal = _read(folder / "proposed_writes.json")
        summary = " ".join(_text(proposal, "summary").split())
        lines += output_lines(summary[:300], "      ")
    if (folder / "write_result.json").is_file():
        result = _read(folder / "write_result.json")
        written = ", ".join(str(path) for path in _list(result.get("written")))
        lines.append(f"  TR  wrote {written}" if result.get("applied") else "  TR  refused the proposal")
    for name in _CHECK_FILES:
        if (folder / name).is_file():
            for check in _list(_read(folder / name).get("checks")):
                lines += _check(check)
    if (folder / "kill_proof.json").is_file():
        lines.append(_mutants(_read(folder / "kill_proof.json")))
    if (folder / "failure_brief.json").is_file():
        failure = _read(folder / "failure_brief.json")
        lines.append(f"  failed at {_text(failure, 'stage')} ({_text(failure, 'failure_class')})")
        message, where = _text(failure, "message"), _text(failure, "where")
        lines.append(f"      {message}" if where in message else f"      {message} ({where})")
        lines += output_lines(_text(failure, "excerpt"), "      ")
        if _text(failure, "hint"):
            lines.append(f"      hint: {_text(failure, 'hint')}")
    return lines


def _check(value: JsonValue) -> list[str]:
    check = _object(value)
    name, note = _text(check, "name"), _text(check, "note")
    state = "failed" if check.get("failure") else "passed"
    if state == "failed" and check.get("gates") is False:
        state = "reports"
    if note.startswith("skipped: "):
        state, note = "skipped", note.removeprefix("skipped: ")
    lines = [f"  PO  {state:7}  {name}" + (f" ({note})" if note else "")]
    for entry in _list(check.get("commands")):
        command = _object(entry)
        end = f"{_end(command)}  {_text(command, 'seconds')} s  {_text(command, 'command')}"
        lines.append(f"               {end}")
    return lines


def _end(command: JsonObject) -> str:
    if command.get("not_started"):
        return "not started"
    if command.get("killed"):
        return f"killed: {_text(command, 'killed')}"
    if command.get("timed_out"):
        return "timed out"
    if command.get("signal") is not None:
        return f"signal {_text(command, 'signal')}"
    return f"exit {_text(command, 'exit_code')}"


def _ending(summary: JsonObject) -> list[str]:
    if not summary:
        return ["the run has no summary: it is going on, or it was killed; the next run writes it"]
    outcome, message = _text(summary, "outcome"), _text(summary, "message")
    lines = [message if outcome in _TOLD_IN_FULL else f"{outcome}: {message}"]
    if _text(summary, "hint"):
        lines.append(f"  hint: {_text(summary, 'hint')}")
    usage = _object(summary.get("usage"))
    answers = summary.get("model_answers")
    if usage and answers:
        about = "about " if usage.get("estimated") else ""
        count = f"{answers} answer{'s' if answers != 1 else ''}"
        tokens = f"{_text(usage, 'input_tokens')} tokens in, {_text(usage, 'output_tokens')} out"
        cost = f", ${summary['cost_usd']}" if summary.get("cost_usd") is not None else ""
        lines.append(f"  {count}, {about}{tokens}{cost}")
    return lines


def _read(path: Path) -> JsonObject:
    value = read_json(read_bounded(path), str(path))
    if not isinstance(value, dict):
        raise WorkorderError("is not a JSON object", where=str(path), hint="run the work order again")
    return value


def _number(folder: Path) -> int:
    digits = folder.name.removeprefix("attempt_")
    return int(digits) if digits.isdecimal() else 0


def _text(value: JsonObject, key: str) -> str:
    found = value.get(key)
    return "" if found is None else str(found)


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
