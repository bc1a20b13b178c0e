"""The table of all diagnostic codes, one module a code. A code that was given up is never used again."""

from typing import Final

from factory.plans.rules import table
from factory.plans.rules.rule import Rule
from planner.rules.requirements import (
    e201_misquoted,
    e202_unresolved_requirement,
    e203_requirement_not_taken,
    e212_contradicted_example,
    e214_unnamed_package,
    e216_unnamed_service,
    e217_contradicted_service,
    e218_unwanted_demand,
    e219_contradicted_code,
    w204_unquoted_line,
    w215_retold_passage,
    w220_second_opinion,
)
from planner.rules.revision import (
    e206_check_removed,
    e207_unaffected_altered,
    e208_change_not_taken,
    e209_landed_altered,
    e210_nothing_changed,
    e211_reference_to_nothing,
)
from planner.rules.subject import Subject

_OWN: Final[tuple[Rule[Subject], ...]] = (
    e201_misquoted.RULE,
    e202_unresolved_requirement.RULE,
    e203_requirement_not_taken.RULE,
    e206_check_removed.RULE,
    e207_unaffected_altered.RULE,
    e208_change_not_taken.RULE,
    e209_landed_altered.RULE,
    e210_nothing_changed.RULE,
    e211_reference_to_nothing.RULE,
    e212_contradicted_example.RULE,
    e214_unnamed_package.RULE,
    e216_unnamed_service.RULE,
    e217_contradicted_service.RULE,
    e218_unwanted_demand.RULE,
    e219_contradicted_code.RULE,
    w204_unquoted_line.RULE,
    w215_retold_passage.RULE,
    w220_second_opinion.RULE,
)
"""Those that look at the specification, at the plan that is amended, or at a second opinion."""

RULES: Final[tuple[Rule[Subject], ...]] = tuple(sorted((*table.RULES, *_OWN), key=lambda rule: rule.code))
"""Every rule, by its code."""
