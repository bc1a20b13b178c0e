"""Every size limit of the contract, in one place."""

from typing import Final

MAX_JSON_BYTES: Final = 10_000_000
"""The largest JSON document that is read, in bytes."""

MAX_JSON_DEPTH: Final = 100
"""The deepest nesting of arrays and objects in a JSON document."""

MAX_WRITE_BYTES: Final = 200_000
"""The largest file that a proposal may write, in bytes of UTF-8."""

MAX_PROPOSAL_BYTES: Final = 500_000
"""All the files of one proposal together, in bytes of UTF-8."""

MAX_EDITS: Final = 200
"""The most edits of one file; what changes in more places is written whole."""

MAX_CONTEXT_BYTES: Final = 200_000
"""All the files shown to a model in one prompt, in bytes."""

MAX_SOURCE_BYTES: Final = 1_000_000
"""The largest Python source file that is read, in bytes."""

MAX_NOTES_BYTES: Final = 200_000
"""All the notes of `--knowledge` together, in bytes."""

MAX_AGENTS_BYTES: Final = 64_000
"""What a prompt for one work order shows of the AGENTS.md files together, in bytes."""

MAX_SPEC_BYTES: Final = 1_000_000
"""The largest copy of a specification beside a plan, in bytes."""

MAX_WHOLE_SPEC_BYTES: Final = 8_000
"""The largest specification that prompts show whole, in bytes: it is the same in all of them, so a provider's
cache serves it, where passages are different in each."""

MAX_REFERENCES_BYTES: Final = 16_000
"""What a prompt for one work order shows of the definitions that its passages name, in bytes."""

MAX_PATH_BYTES: Final = 1_024
"""The longest repository path, in bytes of UTF-8."""

MAX_PATH_SEGMENT_BYTES: Final = 255
"""The longest single name in a path, in bytes of UTF-8."""

MAX_COMMAND_CHARS: Final = 20_000
"""The longest acceptance or verify command, in characters."""

EXCERPT_CHARS: Final = 2_000
"""The longest excerpt of a command's output in a failure brief, and of a proposal's summary in the record of
an attempt, in characters."""

MAX_REMARKS: Final = 10
"""Of the remarks of an answer, or of a plan, how many are kept."""

MAX_REMARK_CHARS: Final = 500
"""The longest remark, in characters; what is longer is cut."""

MAX_SUMMARIES: Final = 5
"""Of how many attempts, the last ones, a request to repair a plan holds the summaries."""
