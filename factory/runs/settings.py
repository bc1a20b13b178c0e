"""How work orders are attempted, as it is decided once and handed on."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from factory.configuration.document import Configuration
from factory.contract.answer import AnswerFormat
from factory.contract.note import Note
from factory.contract.repo_path import RepoPath
from factory.llm.port import Parameters
from factory.llm.spending.prices import Price
from factory.plans.rules.judgement import Warnings

OracleCheck = Literal["off", "auto", "always"]
Verify = Literal["touched", "all"]


class AttemptSettings(BaseModel):
    """How work orders are attempted; made once, from the command line, and handed on.

    Attributes:
        max_attempts: how many attempts model defects may spend.
        parameters: how the model is asked.
        timeout_seconds: the time limit of each command that is run.
        passed_variables: further environment variables that commands may see.
        answer_format: how a model gives the files: in fenced blocks, or as JSON.
        llm: the model as the user named it, for the record.
        price: what the user says that the model costs; None to look it up.
        red_probe: whether acceptance commands must fail before the work is done.
        second_pass: whether acceptance must pass again where what must not matter is different.
        mutants: how many mutants of the written lines are tried; 0 for none.
        kill_threshold: the percentage of them that the checks must notice; None to record it only.
        warnings: whether a plan is executed that the rules warn of and that does not say why.
        oracle_check: when a second opinion on the plan's values is asked for: never, after an attempt in
            which nothing but such a value failed, or before the first attempt, too.
        notes: what the user wants the model to know, as it was read at the start.
        accepted_configuration: the files of the user's configuration that work orders may change.
        verify: of a repository with several projects, those that are verified before acceptance; the others
            are when all else has passed.
        co_authors: whom the commits of what lands name beside the user, as git writes them.
        project: the directory that is the only project, whatever the configuration says; None for none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_attempts: int
    parameters: Parameters
    timeout_seconds: float
    passed_variables: tuple[str, ...] = ()
    answer_format: AnswerFormat = "blocks"
    llm: str = ""
    price: Price | None = None
    red_probe: bool = True
    second_pass: bool = True
    mutants: int = 0
    kill_threshold: int | None = None
    oracle_check: OracleCheck = "off"
    warnings: Warnings = "auto"
    notes: tuple[Note, ...] = ()
    accepted_configuration: tuple[RepoPath, ...] = ()
    verify: Verify = "touched"
    co_authors: tuple[str, ...] = ()
    project: RepoPath | None = None

    def price_under(self, configuration: Configuration) -> Price | None:
        """What the user, or else the repository, says that the model costs."""
        if self.price is not None or configuration.price is None:
            return self.price
        price = configuration.price
        return Price(price.input, price.output, price.cached, price.cache_write)
