"""The tables of files that runs, builds and compiles leave. Names come from the code that writes them.

What a file holds is told here; a file of a run's folder or of a compile that nothing is told of is an error.
"""

import sys
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from factory.builds.code_map import CODE_MAP_FILE
from factory.builds.state.file import STATE_FILE
from factory.builds.state.plan_record import PLAN_FILE
from factory.gates.before.baseline import BASELINE_RESULT
from factory.gates.bench import PROJECTS_FOLDER
from factory.people.hints import HINTS_FILE
from factory.runs.record import files
from factory.runs.record.call import CALL
from factory.runs.record.events import EVENTS_FILE
from factory.trials.memory import TRIALS_FOLDER
from planner.compile import artifacts

_Row = tuple[str, str]

_RUN: Final[list[_Row]] = [
    (
        files.RUN.name,
        "what was run, on what, with which settings, in which sandbox and environment; completed at the end",
    ),
    (files.SUMMARY.name, "the outcome, each attempt with what the model said of it, the failure, tokens"),
    (files.WORK_ORDER.name, "the contract"),
    (EVENTS_FILE, "one line for each thing that happened"),
    (CALL.name, "of `factory run`: how it was called, for `factory retry` and its like"),
    (
        files.ADOPTION.name,
        "of `factory adopt`: whose work it was, from where, and what its scope was widened by",
    ),
    (files.PROBE.name, "what the acceptance commands did before the work"),
    (f"{files.PROBE_FOLDER}/", "what they printed"),
    (files.FINDINGS.name, "of `factory run`: what the rules found in the work order"),
    (files.REPAIR_REQUEST.name, "who may be at fault, the plan or the code, and the evidence"),
    (
        f"{files.OPINIONS_FOLDER}/",
        "with `--oracle-check`: the question and the answer for each acceptance command in question",
    ),
    (f"{files.LANDING_FOLDER}/", "in a build: the gates on the branch's tip, attempt by attempt"),
]
_ATTEMPT: Final[list[_Row]] = [
    (files.PROMPT_TEXT, "what the model was asked"),
    (
        files.PASSAGES.name,
        "of a plan with its specification: which lines of that the model was shown, and why",
    ),
    (files.ANSWER_TEXT, "what it said; of an agent the transcript"),
    (
        files.AGENT.name,
        "of an agent: its last words, the changes that were refused, what it asked for of the network",
    ),
    (files.REFUSED_CHANGES, "of an agent: those changes as a patch, shortened"),
    (files.ANSWER.name, "the answer without its text: which model gave it, how it ended, its tokens"),
    (files.PROPOSAL.name, "what the model wants to write, edits made and every file whole"),
    (files.WRITE_RESULT.name, "what was written"),
    (files.CHECK_RESULTS["interfaces"].name, "the promised symbols"),
    (
        files.CHECK_RESULTS["verify"].name,
        "every command of the verification with its end, and by what it is known to have passed",
    ),
    (files.CHECK_RESULTS["acceptance"].name, "the postconditions, and every acceptance command with its end"),
    (
        files.CHECK_RESULTS["other_projects"].name,
        "in a repository with several projects: the verification of those that the work order does not touch",
    ),
    (f"{PROJECTS_FOLDER}/", "what commands printed that ran in a project, by its directory"),
    ("*.output.txt", "what a command printed"),
    ("*.log.txt", "what a service printed beside a command: its beginning, and of a long log the end"),
    (files.SECOND_PASS.name, "whether acceptance passes again, with another hash seed and the like"),
    (files.KILL_PROOF.name, "the mutants and what became of them"),
    (files.CHANGES, "the change as a patch"),
    (files.FAILURE_BRIEF.name, "why the attempt failed"),
]
_BUILD: Final[list[_Row]] = [
    (STATE_FILE, "where the build stands"),
    (EVENTS_FILE, "what happened, a line each"),
    (PLAN_FILE, "the plan as it is executed, and what the rules found in it"),
    (CODE_MAP_FILE, "of each file the work orders, requirements and commits it comes from"),
    (f"baseline/{BASELINE_RESULT}", "the verification of the base, beside it what its commands printed"),
    (
        f"{TRIALS_FOLDER}/",
        (
            "what trials have found, each under the SHA-256 of all that could change it, with what"
            " commands printed"
        ),
    ),
    ("environment/", "what the tools printed that locked and installed packages"),
    ("RUN_ID/", "the run of a work order on a base"),
    (CALL.name, "how the build was called last, for `factory retry` and its like"),
    (
        HINTS_FILE,
        (
            "what people told the next attempts by `factory hint`, and which they asked for by"
            " `factory retry`: who, when, about which contract"
        ),
    ),
    (
        "open/",
        "what people do by hand: `WO-NN.txt` tells what, `WO-NN.json` where; by default the worktrees, too",
    ),
    ("ledger/", "the answers; in `ledger/retired` those that `factory reset` has put away"),
]
_COMPILE: Final[list[_Row]] = [
    (artifacts.PROMPT.name("N"), "what the model was asked"),
    (artifacts.ANSWER.name("N"), "what it said"),
    (artifacts.CUT_OFF_ANSWER.name("N"), "what it said before, cut off at the limit of tokens"),
    (artifacts.MANIFEST.name("N"), "the JSON in its answer, before it was checked"),
    (artifacts.DIAGNOSTICS.name("N"), "what checking found; an empty list where it found nothing"),
    (artifacts.REVIEW_PROMPT.name("N"), "unless `--no-review` is given: what a second opinion was asked"),
    (artifacts.REVIEW_ANSWER.name("N"), "what it said"),
    (artifacts.SUMMARY_NAME, "how the compile ended, with its settings, attempts, tokens and findings"),
    (f"{artifacts.LEDGER_NAME}/", "the remembered answers, unless `--ledger` names another place"),
]
_ROWS: Final = {
    "run": [*_RUN, *((f"attempt_N/{name}", text) for name, text in _ATTEMPT)],
    "build": _BUILD,
    "compile": _COMPILE,
}


def file_table(of: str) -> str:
    """The table of the files of a `run`, a `build` or a `compile`."""
    _refuse_silence()
    rows = _ROWS[of]
    return "\n".join(
        ["| file | content |", "|---|---|", *(f"| `{name}` | {content} |" for name, content in rows)]
    )


def _refuse_silence() -> None:
    """Refuse to go on where a name of a run's folder, or of a compile's attempts, has no row."""
    named = {file.name("N") for file in artifacts.ATTEMPT_FILES}
    for value in vars(files).values():
        for part in value.values() if isinstance(value, dict) else (value,):
            if isinstance(part, files.Artifact):
                named.add(part.name)
    silent = named - {name for name, _ in (*_RUN, *_ATTEMPT, *_COMPILE)}
    if silent:
        raise SystemExit(f"error: scripts/pages/file_tables.py tells nothing of {', '.join(sorted(silent))}")
