"""What is recorded of a run beside its course: where it works, with which settings, in which sandbox."""

from factory.contract.note import notes_hash
from factory.runs.record.model import SandboxRecord, SettingsRecord
from factory.runs.settings import AttemptSettings
from factory.system.sandbox.port import Terms
from factory.system.terminal.console import visible


def sandbox_record(terms: Terms | None) -> SandboxRecord | None:
    """What commands run in, as it is recorded."""
    if terms is None:
        return None
    return SandboxRecord(
        level=terms.sandbox.level,
        version=terms.sandbox.version,
        gaps=terms.sandbox.gaps,
        network=terms.network,
        resources=terms.resources,
    )


def settings_record(settings: AttemptSettings, *, in_place: bool | None = None) -> SettingsRecord:
    """The settings as they are recorded."""
    return SettingsRecord(
        llm=visible(settings.llm),
        max_attempts=settings.max_attempts,
        timeout_seconds=settings.timeout_seconds,
        temperature=settings.parameters.temperature,
        max_output_tokens=settings.parameters.max_output_tokens,
        knowledge=notes_hash(settings.notes),
        in_place=in_place,
    )
