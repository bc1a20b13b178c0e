"""What the JSON documents of a run's folder hold. Fields with a default are missing in older folders."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from factory.attempt.failure import Failure
from factory.attempt.outcome import RunOutcome
from factory.attempt.summary import AttemptSummary, KillScores
from factory.environments.environment import described
from factory.gates.check import CheckResult, Probed
from factory.llm.port import Answer, FinishReason, Usage
from factory.mutation.kill_proof import Fate, KillProof, Unchanged
from factory.specification.passages import Passages, Reference
from factory.system.sandbox.policy import Resources
from factory.system.terminal.console import one_line

SCHEMA_VERSION: Final = 1


class Record(BaseModel):
    """The base of every document of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BoundsRecord(Record):
    """What keeps the limits on processes and memory of a command, such as `control group v2`."""

    processes: str
    memory: str


class SandboxRecord(Record):
    """What commands run in; `read` are the further directories that they may read."""

    level: str
    version: str = ""
    gaps: tuple[str, ...] = ()
    network: str = "none"
    resources: Resources = Resources()
    bounds: BoundsRecord | None = Field(default=None, exclude_if=lambda value: value is None)
    read: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)


class EnvironmentRecord(Record):
    """What commands find beside their checkout.

    Attributes:
        hash: the environment's.
        interpreters: the interpreters with their versions.
        packages: how many packages it holds.
    """

    hash: str
    interpreters: tuple[str, ...]
    packages: int

    @property
    def description(self) -> str:
        """It in one line."""
        return described(self.interpreters, self.packages, self.hash)


class ProjectRecord(Record):
    """A project of the repository beside its root.

    Attributes:
        directory: its directory.
        environment: what its commands find.
    """

    directory: str
    environment: EnvironmentRecord


class ServiceRecord(Record):
    """A service that commands find beside them.

    Attributes:
        name: its name.
        preset: the preset that it is; empty for a command of its own.
        version: what its program says of its version.
        declared_by: who asked for it.
        variables: the variables that tell commands of it.
        port: its port; None where each command gets one that is free.
    """

    name: str
    preset: str = ""
    version: str = ""
    declared_by: Literal["configuration", "plan"] = "configuration"
    variables: tuple[str, ...] = ()
    port: int | None = None


class SettingsRecord(Record):
    """The settings that decide what a run does.

    Attributes:
        knowledge: the hash of the notes that the model was shown; None without notes.
        in_place: whether it worked in the user's checkout; not told by a build, which never does.
        accepted_configuration: the files of the user's configuration whose change a person accepted.
    """

    llm: str
    max_attempts: int
    timeout_seconds: float
    temperature: float | None
    max_output_tokens: int
    knowledge: str | None = None
    in_place: bool | None = Field(default=None, exclude_if=lambda value: value is None)
    accepted_configuration: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)


class LanguageRecord(Record):
    """A language of the repository for which something is not offered, by feature with the reason."""

    name: str
    lacks: dict[str, str]


class RunDocument(Record):
    """`run.json`: what is run, on what, with which settings; written at the start, completed at the end.

    Attributes:
        run_id: its name.
        contract: the work order's contract hash.
        baseline: the commit it starts from.
        branch: where it lands.
        repository: the git directory.
        pid: of the process.
        ended: when it ended; None if it goes on, or was killed.
        outcome: how it ended.
        person: who did the work, as git knows them; empty if that was not a person.
        languages: those of its files for which something is not offered.
    """

    schema_version: int = SCHEMA_VERSION
    run_id: str
    contract: str = ""
    baseline: str = ""
    branch: str = ""
    repository: str = ""
    pid: int | None = None
    sandbox: SandboxRecord | None = None
    environment: EnvironmentRecord | None = None
    projects: tuple[ProjectRecord, ...] = Field(default=(), exclude_if=lambda value: not value)
    services: tuple[ServiceRecord, ...] = Field(default=(), exclude_if=lambda value: not value)
    settings: SettingsRecord | None = None
    languages: tuple[LanguageRecord, ...] = Field(default=(), exclude_if=lambda value: not value)
    work_order: str = ""
    title: str = ""
    python: str = ""
    started: str = ""
    ended: str | None = None
    outcome: RunOutcome | None = None
    person: str = Field(default="", exclude_if=lambda value: not value)


class RunSummary(RunDocument):
    """`run_summary.json`: how a run ended.

    Attributes:
        usage: the tokens of all answers; None if they are not known.
        model_answers: how many answers there were.
        cost_usd: what they cost; None if no price is known.
    """

    exit_code: int
    message: str
    hint: str = ""
    failure: Failure | None = None
    commit: str | None = None
    attempts: tuple[AttemptSummary, ...] = ()
    usage: Usage | None = None
    model_answers: int | None = None
    cost_usd: float | None = None


class AnswerRecord(Record):
    """`llm_usage.json`: an answer without its text, which has a file of its own."""

    finish_reason: FinishReason
    usage: Usage
    model: str
    request_id: str | None = None

    @classmethod
    def of(cls, answer: Answer) -> "AnswerRecord":
        """What is recorded of an answer."""
        return cls(
            finish_reason=answer.finish_reason,
            usage=answer.usage,
            model=answer.model,
            request_id=answer.request_id,
        )


class ReferenceRecord(Record):
    """Something that the passages of a work order name and that the specification defines elsewhere.

    Attributes:
        what: `requirement`, `table`, `section`, `term` or `example`.
        name: its name, as far as a line shows it.
        lines: the lines that define it, first and last of each run.
        bytes: how many bytes they have.
    """

    what: str
    name: str
    lines: tuple[tuple[int, int], ...]
    bytes: int

    @classmethod
    def of(cls, reference: Reference) -> "ReferenceRecord":
        """The reference as it is recorded."""
        return cls(
            what=reference.what, name=one_line(reference.name), lines=reference.lines, bytes=reference.bytes
        )


class PassagesRecord(Record):
    """`passages.json`: what of the specification a prompt shows.

    Attributes:
        bytes: how many bytes of the specification are shown beside what the passages name, headings included.
        is_whole: whether that is all of it.
        lines: for each requirement the lines that its quotes stand in, first and last of each run.
        absent: how many quotes of a requirement are not in it, so that the plan's words are shown.
        references: what the passages name and is shown, too.
        left_out: what they name and there was no room for.
    """

    bytes: int
    is_whole: bool = False
    lines: dict[str, tuple[tuple[int, int], ...]]
    absent: dict[str, int]
    references: tuple[ReferenceRecord, ...]
    left_out: tuple[ReferenceRecord, ...]

    @classmethod
    def of(cls, passages: Passages) -> "PassagesRecord":
        """What is recorded of passages."""
        return cls(
            bytes=len(passages.quoted.encode("utf-8", "backslashreplace")),
            is_whole=passages.is_whole,
            lines=dict(passages.lines),
            absent={name: len(quotes) for name, quotes in passages.absent.items()},
            references=tuple(map(ReferenceRecord.of, passages.references)),
            left_out=tuple(map(ReferenceRecord.of, passages.left_out)),
        )


class WriteResult(Record):
    """`write_result.json`: whether a proposal was written, and the tree that it made."""

    applied: bool
    failure: Failure | None = None
    written: tuple[str, ...] = ()
    tree: str | None = Field(default=None, exclude_if=lambda value: value is None)


class CheckResults(Record):
    """`verify_result.json` and its like: the checks of one part, to the first that failed."""

    checks: tuple[CheckResult, ...]
    passed: bool


class ProbeResult(Record):
    """`probe.json`: what the acceptance commands did before the work."""

    commands: tuple[Probed, ...]
    passed: bool


class SecondPassResult(Record):
    """`second_pass.json`: whether acceptance passes again where what must not matter is different.

    Attributes:
        stable: whether it does.
        differences: what was different in the second pass.
        changed_by: the differences each of which changes the result alone.
        failure: why the attempt failed for it; None if it did not.
    """

    stable: bool
    differences: tuple[str, ...]
    changed_by: tuple[str, ...] = ()
    failure: Failure | None = None


class ProofResult(Record):
    """`kill_proof.json`: what became of the mutants; see `KillProof`."""

    verdict: Literal["measured", "not measured"]
    fates: tuple[Fate, ...]
    percent: int | None
    threshold: int | None
    scores: KillScores | None = Field(default=None, exclude_if=lambda value: value is None)
    unchanged: tuple[Unchanged, ...] = Field(default=(), exclude_if=lambda value: not value)

    @classmethod
    def of(cls, proof: KillProof, threshold: int | None) -> "ProofResult":
        """A proof, and the percentage that was demanded."""
        return cls(
            verdict=proof.verdict,
            fates=proof.fates,
            percent=proof.percent,
            threshold=threshold,
            scores=proof.scores,
            unchanged=proof.unchanged,
        )
