"""Plans with one known defect each, by what they are about."""

from draft import Case

from defects import commands, documents, files, proof, requirements, values

DEFECTS: tuple[Case, ...] = (
    *commands.CASES,
    *files.CASES,
    *proof.CASES,
    *values.CASES,
    *requirements.CASES,
    *documents.CASES,
)
"""All of them."""
