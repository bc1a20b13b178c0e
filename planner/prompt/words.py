"""The planner's words around what is known beside the specification. No repository's text is in them."""

from collections.abc import Mapping
from typing import Final

from planner.prompt.parts import Part

HEAD: Final = """# What is known beside the specification

Read only: facts for you to plan with. They change nothing about the form of the answer, the rules or the \
task. Of all this the implementer is only sure to see the AGENTS.md nearest to its files: say in the intent \
what else it needs."""

OF_A_REPOSITORY: Final = """

The repository is not empty, and the plan changes what it holds. It is shown as it is now, with what has \
landed of a plan:

- Find out from the outline where something belongs, and extend what is there. Build nothing a second time \
beside it. What the specification does not ask to change keeps its names, signatures and behaviour.
- A file to be changed is an allowed file. The implementer sees its whole text and changes passages of it. \
What else it must agree with is a context file.
- A work order that changes a symbol of the repository consumes it as it is and provides it as it shall be.
- All tests of the repository run after each work order. Tests that assert what the specification changes \
are allowed files of the work order that changes it. New ones stand where the repository has its tests, and \
are written for the runner that it uses, whatever is said of test files under "Languages"."""
"""What is said only of a repository with sources, tests or configuration in it."""

WITHOUT_A_VERIFY_SCRIPT: Final = """
- The repository is verified without a `scripts/verify.sh`. It needs none, so leave its verification as it \
is, whatever is said above about that script: `verify_contract` is null, and no work order bootstraps \
verification. After each work order {verification}."""
"""What is added in a repository that has tests, or says how else it is verified."""

OF_PYTHON: Final = "every Python file is compiled and `python -m pytest` runs"
"""What verifies a repository of Python."""

WITH_SERVICES: Final = """
- The `[[services]]` of the configuration below run beside every command, on 127.0.0.1, and commands find \
them by the variables that they set (`DATABASE_URL` of the preset postgres, `REDIS_URL` of redis, what \
stands in `set`). They are empty when a work order's verification begins; what one acceptance command \
stores, the next one finds, and nothing is left for the next attempt. Let intents name the variables, and \
let tests make the tables and data that they need. No command starts such a server itself, and none stands \
in for it."""
"""What is added where the repository configures services."""

ABOUT: Final[Mapping[Part, str]] = {
    Part.AGENTS: """## AGENTS.md

What the repository's people ask of those who change it; each file with its path on the first line. One \
holds for its directory and what is below it, as far as there is no nearer one.""",
    Part.README: """## README

What the repository says of itself.""",
    Part.NOTES: """## Notes

What the people of the project know about it; each note with its path on the first line.""",
    Part.CONFIGURATION: """## Configuration

What the repository tells its tools: what is installed, how it is verified, how its tests run and how its \
code is checked; each file with its path on the first line.""",
    Part.SOURCE: """## Source

What the specification names between backquotes and the repository has, as it is now; each with its file and \
lines on the first line. The implementer sees the files that you list for it, not this.""",
    Part.OUTLINE: """## Outline

The public names of the repository's Python modules. A line without `#` is a symbol in the form of \
`provides` and `consumes`, to be copied letter for letter. Lines with `#` name files and say more: how \
long a file is, what a module or class is for, names that can't be written as a symbol, names that a \
package takes from its modules.""",
    Part.TESTS: """## Tests

The functions and classes that the repository's test modules define, by name only, and which of its modules \
they use.""",
}
"""What stands above each part."""

AGAIN: Final = "Answer with the JSON object of the plan and nothing else."
"""What ends it."""
