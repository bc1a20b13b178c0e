"""The table of the codes that need no specification, one module a code; the planner adds its own to it."""

from typing import Final

from factory.plans.rules.document import (
    e000_not_a_manifest,
    e001_broken_numbering,
    e003_shell_syntax,
    e004_glob_in_path,
    e005_schema,
    e006_python_syntax,
    e007_unreadable_command,
)
from factory.plans.rules.files import (
    e101_unmet_precondition,
    e102_contradiction,
    e103_postcondition_out_of_scope,
    e104_unpromised_file,
    e105_verify_in_acceptance,
    e106_never_verified,
    e107_forbidden_and_allowed,
    e108_without_conditions,
    w101_missing_program,
    w102_missing_context,
    w103_uncertain_condition,
    w107_words_in_forbidden,
)
from factory.plans.rules.interfaces import (
    e301_unprovided_symbol,
    e302_other_signature,
    e303_provided_twice,
    e304_unreadable_symbol,
    e305_provided_out_of_scope,
    w306_untold_name,
)
from factory.plans.rules.paths import (
    e109_clashing_paths,
    e110_unknown_project,
    w104_missing_input,
    w105_unlisted_path,
    w106_letter_case,
    w108_outside_project,
    w109_other_contents,
)
from factory.plans.rules.proof import (
    e404_exempts_nothing,
    e405_two_values,
    w401_weak_acceptance,
    w402_predicted_literal,
    w403_unstable_command,
    w405_other_value,
    w410_passes_before,
    w411_pinned,
)
from factory.plans.rules.requirements import w205_unproven_requirement, w213_misplaced_requirement
from factory.plans.rules.rule import Rule, Subject

RULES: Final[tuple[Rule[Subject], ...]] = (
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
    e107_forbidden_and_allowed.RULE,
    e108_without_conditions.RULE,
    e109_clashing_paths.RULE,
    e110_unknown_project.RULE,
    e301_unprovided_symbol.RULE,
    e302_other_signature.RULE,
    e303_provided_twice.RULE,
    e304_unreadable_symbol.RULE,
    e305_provided_out_of_scope.RULE,
    e404_exempts_nothing.RULE,
    e405_two_values.RULE,
    w101_missing_program.RULE,
    w102_missing_context.RULE,
    w103_uncertain_condition.RULE,
    w104_missing_input.RULE,
    w105_unlisted_path.RULE,
    w106_letter_case.RULE,
    w107_words_in_forbidden.RULE,
    w108_outside_project.RULE,
    w109_other_contents.RULE,
    w205_unproven_requirement.RULE,
    w213_misplaced_requirement.RULE,
    w306_untold_name.RULE,
    w401_weak_acceptance.RULE,
    w402_predicted_literal.RULE,
    w403_unstable_command.RULE,
    w405_other_value.RULE,
    w410_passes_before.RULE,
    w411_pinned.RULE,
)
"""These rules, by their codes."""
