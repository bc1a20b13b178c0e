"""The table of all diagnostic codes, one module a code. A code that was given up is never used again."""

from typing import Final

from planner.rule import Rule
from planner.rules import (
    e000_not_a_manifest,
    e001_broken_numbering,
    e003_shell_syntax,
    e004_glob_in_path,
    e005_schema,
    e006_python_syntax,
    e007_unreadable_command,
    e101_unmet_precondition,
    e102_contradiction,
    e103_postcondition_out_of_scope,
    e104_unpromised_file,
    e105_verify_in_acceptance,
    e106_never_verified,
    e301_unprovided_symbol,
    e302_other_signature,
    e303_provided_twice,
    e304_unreadable_symbol,
    e305_provided_out_of_scope,
    w101_missing_program,
    w102_missing_context,
    w103_uncertain_condition,
    w401_weak_acceptance,
    w402_predicted_literal,
    w403_unstable_command,
)

RULES: Final[tuple[Rule, ...]] = (
    e000_not_a_manifest.RULE,
    e001_broken_numbering.RULE,
    e003_shell_syntax.RULE,
    e004_glob_in_path.RULE,
    e005_schema.RULE,
    e006_python_syntax.RULE,
    e007_unreadable_command.RULE,
    e101_unmet_precondition.RULE,
    e102_contradiction.RULE,
    e103_postcondition_out_of_scope.RULE,
    e104_unpromised_file.RULE,
    e105_verify_in_acceptance.RULE,
    e106_never_verified.RULE,
    e301_unprovided_symbol.RULE,
    e302_other_signature.RULE,
    e303_provided_twice.RULE,
    e304_unreadable_symbol.RULE,
    e305_provided_out_of_scope.RULE,
    w101_missing_program.RULE,
    w102_missing_context.RULE,
    w103_uncertain_condition.RULE,
    w401_weak_acceptance.RULE,
    w402_predicted_literal.RULE,
    w403_unstable_command.RULE,
)
"""Every rule, by its code."""
