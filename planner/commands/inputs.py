"""Reads what the user hands to the planner: the specification, as text or as data, and templates."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from factory.contract.canonical import sha256_hex
from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.work_order import MANIFEST_NAME, Plan
from factory.plans.diagnostics.diagnostic import Diagnostic
from factory.plans.diagnostics.render import OutputFormat, render
from factory.system.files.tree import FileProblem, read_bounded
from factory.system.plan_files import read_spec_text
from factory.system.templates import template_path
from factory.system.terminal.console import Console
from planner.compile.exit_codes import ExitCode
from planner.prompt.template import (
    AMENDING_PLACEHOLDERS,
    COMPILE_PLACEHOLDERS,
    COMPILE_REQUIRED,
    EXAMPLE,
    REVIEW_PLACEHOLDERS,
    REVISION_PLACEHOLDERS,
    SERVICES,
    Template,
)
from planner.specification.spec import Spec

YAML_SUFFIXES: Final = frozenset({".yaml", ".yml"})
JSON_SUFFIX: Final = ".json"
COMPILE_TEMPLATE: Final = "prompts/planner.md"
EXAMPLE_TEMPLATE: Final = "prompts/planner_example.md"
SERVICES_TEMPLATE: Final = "prompts/planner_services.md"
REVISION_TEMPLATE: Final = "prompts/planner_revision.md"
AMENDING_TEMPLATE: Final = "prompts/planner_amend.md"
REVIEW_TEMPLATE: Final = "prompts/plan_review.md"
STARTER_SPEC: Final = "spec.md"


class BadText(WorkorderError):
    """A file that should hold text for a prompt and does not."""


def read_spec(path: Path) -> Spec:
    """The specification: data if the file's name ends in `.yaml`, `.yml` or `.json`, else text.

    Raises:
        FileProblem: it can't be read or is too large.
        BadText: it is not UTF-8 text, or there is nothing in it.
        WorkorderError: data that is not strict JSON or YAML, or does not match the schema.
    """
    data = _read_bytes(path)
    text = _decoded(data, path)
    if not text.strip():
        raise BadText(
            "the specification is empty",
            where=str(path),
            hint=f"{template_path(STARTER_SPEC)} is one to start from",
        )
    suffix = path.suffix.lower()
    if suffix not in YAML_SUFFIXES | {JSON_SUFFIX}:
        return Spec(text, sha256_hex(data))
    # Only here: most specifications are text.
    from planner.specification.data import read_spec_document, rendered

    document = read_spec_document(text, str(path), is_json=suffix == JSON_SUFFIX)
    return rendered(document, sha256_hex(data))


def read_old_spec(given: Path | None, place: Path, plan: Plan) -> Spec | None:
    """The specification that a plan was made for: the one that is given, else the copy beside the plan.

    Args:
        given: the file that the user names; None if none is.
        place: the plan's manifest, or the directory that holds it.
        plan: the plan.

    Returns:
        The specification; None where none is given and the plan keeps no copy, or keeps that of data, which
        is text without the ids of its parts.

    Raises:
        NoPlan: the copy is not there, or is not the one that the plan was made for.
        WorkorderError: the given one can't be used, as `read_spec` says.
    """
    if given is not None:
        return read_spec(given)
    text = read_spec_text(place, plan.spec_text_hash)
    provenance = plan.work_orders[0].provenance
    if text is None or provenance is None or provenance.spec_hash is None:
        return None
    if provenance.spec_hash != plan.spec_text_hash:
        return None
    return Spec(text, provenance.spec_hash)


def plan_files(plan: Path) -> dict[str, bytes]:
    """What of a plan findings are about, by path: its manifest, or else its work orders."""
    manifest = plan / MANIFEST_NAME
    orders = [manifest] if manifest.exists() else sorted(plan.glob("WO-*.json"))
    try:
        return {str(file): read_bounded(file) for file in ([plan] if plan.is_file() else orders)}
    except (WorkorderError, OSError):
        # What can't be read was told already.
        return {}


def refuse_missing(
    diagnostics: Sequence[Diagnostic], place: Path, purpose: str, console: Console
) -> ExitCode:
    """Tell that there is no plan at `place` to `purpose`, and what is wrong with what is there instead."""
    console.progress(render(diagnostics, OutputFormat.FULL))
    console.error(f"{place}: there is no plan to {purpose}")
    return ExitCode.INVALID


def read_template(path: Path | None, *, with_example: bool = True, with_services: bool = True) -> Template:
    """The template of the first question: the user's, or the packaged one.

    Args:
        path: the user's; None for the packaged one.
        with_example: whether it shows a whole plan where it asks for one; who revises a plan sees that one.
        with_services: whether it tells of servers that run beside commands.

    Raises:
        FileProblem: it can't be read or is too large.
        BadText: it is not UTF-8 text.
        BadTemplate: a placeholder is missing or unknown.
    """
    source = template_path(COMPILE_TEMPLATE) if path is None else path
    template = Template.parse(
        _read_text(source), str(source), required=COMPILE_REQUIRED, known=COMPILE_PLACEHOLDERS
    )
    example = _read_text(template_path(EXAMPLE_TEMPLATE)).rstrip("\n") if with_example else ""
    services = _read_text(template_path(SERVICES_TEMPLATE)) if with_services else ""
    return template.including(EXAMPLE, example).including(SERVICES, services)


def read_revision_template() -> Template:
    """The packaged template of what follows a refused answer."""
    return _packaged(REVISION_TEMPLATE, REVISION_PLACEHOLDERS)


def read_amending_template() -> Template:
    """The packaged template of what is added to the first question for a plan that is revised."""
    return _packaged(AMENDING_TEMPLATE, AMENDING_PLACEHOLDERS)


def read_review_template() -> Template:
    """The packaged template of the question for a second opinion on a plan."""
    return _packaged(REVIEW_TEMPLATE, REVIEW_PLACEHOLDERS)


def _packaged(name: str, placeholders: frozenset[str]) -> Template:
    path = template_path(name)
    return Template.parse(_read_text(path), str(path), required=placeholders, known=placeholders)


def _read_text(path: Path) -> str:
    return _decoded(_read_bytes(path), path)


def _read_bytes(path: Path) -> bytes:
    if os.path.isdir(path):  # noqa: PTH112, unlike Path.is_dir it takes any name, however long
        raise FileProblem("is a directory, not a file", where=str(path))
    return read_bounded(path, max_bytes=MAX_CONTEXT_BYTES)


def _decoded(data: bytes, path: Path) -> str:
    if b"\0" in data:
        raise BadText("is not a text file: it holds NUL bytes", where=str(path))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadText(
            f"is not UTF-8 text: byte {error.start} is wrong", where=str(path), hint="save it as UTF-8"
        ) from error
