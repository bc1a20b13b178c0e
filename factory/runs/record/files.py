"""The files of a run's folder: the name and the model of each, for who writes it and for who reads it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from pydantic import BaseModel

from factory.attempt.failure import Failure
from factory.contract.canonical import dump, readable_json
from factory.contract.documents import BadDocument, schema_problems
from factory.contract.errors import WorkorderError
from factory.contract.proposal import WriteProposal
from factory.contract.strict_json import read_json
from factory.contract.work_order import WorkOrder
from factory.llm.agents.answer import AgentRecord
from factory.people.adoptions import Adoption
from factory.runs.record.found import Findings
from factory.runs.record.model import (
    AnswerRecord,
    CheckResults,
    PassagesRecord,
    ProbeResult,
    ProofResult,
    RunDocument,
    RunSummary,
    SecondPassResult,
    WriteResult,
)
from factory.runs.record.repair_request import RepairRequest
from factory.system.files.tree import read_bounded, write_atomic

DocumentT = TypeVar("DocumentT", bound=BaseModel)

_HINT: Final = "run the work order again"


@dataclass(frozen=True)
class Artifact(Generic[DocumentT]):
    """A JSON document in the folder of a run or of an attempt.

    Attributes:
        name: its file name.
        model: what it holds.
    """

    name: str
    model: type[DocumentT]

    def write(self, folder: Path, document: DocumentT) -> None:
        """Write it whole.

        Raises:
            FileProblem: it can't be written; what was there is as it was.
        """
        write_atomic(folder / self.name, readable_json(dump(document)))

    def read(self, folder: Path) -> DocumentT | None:
        """What it holds; None if there is no such file.

        Raises:
            FileProblem: it can't be read.
            BadJson: it is not strict JSON.
            BadDocument: it is a JSON object of another form.
            WorkorderError: it is no JSON object.
        """
        path = folder / self.name
        if not path.is_file():
            return None
        value = read_json(read_bounded(path), str(path))
        if not isinstance(value, dict):
            raise WorkorderError("is not a JSON object", where=str(path), hint=_HINT)
        problems = schema_problems(self.model, value)
        if problems:
            raise BadDocument(str(path), problems, _HINT)
        return self.model.model_validate(value)

    def read_sound(self, folder: Path) -> DocumentT | None:
        """What it holds; None if there is no such file, or if it is damaged."""
        try:
            return self.read(folder)
        except WorkorderError:
            return None


# In the folder of the run.
RUN: Final = Artifact("run.json", RunDocument)
SUMMARY: Final = Artifact("run_summary.json", RunSummary)
WORK_ORDER: Final = Artifact("work_order.json", WorkOrder)
PROBE: Final = Artifact("probe.json", ProbeResult)
ADOPTION: Final = Artifact("adoption.json", Adoption)
FINDINGS: Final = Artifact("findings.json", Findings)
"""Of a run by itself; what was found in the plan of a build stands beside its state."""
REPAIR_REQUEST: Final = Artifact("repair_request.json", RepairRequest)
PROBE_FOLDER: Final = "probe"
OPINIONS_FOLDER: Final = "second_opinion"
"""The questions and answers of `--oracle-check`, by the number of the acceptance command."""
LANDING_FOLDER: Final = "landing"
"""Of a run in a build: the gates on the branch's tip, attempt by attempt."""

# In the folder of each attempt.
PROMPT_TEXT: Final = "se_prompt.txt"
PASSAGES: Final = Artifact("passages.json", PassagesRecord)
"""What of the specification the prompt shows."""
ANSWER_TEXT: Final = "llm_response.txt"
CHANGES: Final = "changes.diff"
ANSWER: Final = Artifact("llm_usage.json", AnswerRecord)
AGENT: Final = Artifact("agent.json", AgentRecord)
REFUSED_CHANGES: Final = "refused.diff"
PROPOSAL: Final = Artifact("proposed_writes.json", WriteProposal)
WRITE_RESULT: Final = Artifact("write_result.json", WriteResult)
CHECK_RESULTS: Final = {
    part: Artifact(f"{part}_result.json", CheckResults)
    for part in ("interfaces", "verify", "acceptance", "other_projects")
}
"""By the name of the part, in the order in which PO runs them."""
SECOND_PASS: Final = Artifact("second_pass.json", SecondPassResult)
KILL_PROOF: Final = Artifact("kill_proof.json", ProofResult)
FAILURE_BRIEF: Final = Artifact("failure_brief.json", Failure)
