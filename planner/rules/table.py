"""The table of all diagnostic codes, one module a code. A code that was given up is never used again."""

from typing import Final

from planner.rules.document import (
    e000_not_a_manifest,
    e001_broken_numbering,
    e003_shell_syntax,
    e004_glob_in_path,
    e005_schema,
    e006_python_syntax,
    e007_unreadable_command,
)
from planner.rules.files import (
    e101_unmet_precondition,
    e102_contradiction,
    e103_postcondition_out_of_scope,
    e104_unpromised_file,
    e105_verify_in_acceptance,
    e106_never_verified,
    w101_missing_program,
    w102_missing_context,
    w103_uncertain_condition,
)
from planner.rules.interfaces import (
    e301_unprovided_symbol,
    e302_other_signature,
    e303_provided_twice,
    e304_unreadable_symbol,
    e305_provided_out_of_scope,
)
from planner.rules.proof import (
    e404_exempts_nothing,
    w401_weak_acceptance,
    w402_predicted_literal,
    w403_unstable_command,
)
from planner.rules.requirements import (
    e201_misquoted,
    e202_unresolved_requirement,
    e203_requirement_not_taken,
    w204_unquoted_line,
    w205_unproven_requirement,
)
from planner.rules.revision import (
    e206_check_removed,
    e207_unaffected_altered,
    e208_change_not_taken,
    e209_landed_altered,
    e210_nothing_changed,
    e211_reference_to_nothing,
)
from planner.rules.rule import Rule

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
    e201_misquoted.RULE,
    e202_unresolved_requirement.RULE,
    e203_requirement_not_taken.RULE,
    e206_check_removed.RULE,
    e207_unaffected_altered.RULE,
    e208_change_not_taken.RULE,
    e209_landed_altered.RULE,
    e210_nothing_changed.RULE,
    e211_reference_to_nothing.RULE,
    e301_unprovided_symbol.RULE,
    e302_other_signature.RULE,
    e303_provided_twice.RULE,
    e304_unreadable_symbol.RULE,
    e305_provided_out_of_scope.RULE,
    e404_exempts_nothing.RULE,
    w101_missing_program.RULE,
    w102_missing_context.RULE,
    w103_uncertain_condition.RULE,
    w204_unquoted_line.RULE,
    w205_unproven_requirement.RULE,
    w401_weak_acceptance.RULE,
    w402_predicted_literal.RULE,
    w403_unstable_command.RULE,
)
"""Every rule, by its code."""
