"""What a prompt says of the first work order: that it is given, or that none is needed."""

from typing import Final

from factory.contract.work_order import VERIFY_SCRIPT, WorkOrder
from factory.llm.template import quoted_file

_GIVEN: Final = """\
WO-01 is given. It writes {paths}, whose texts stand below; the build system does that by itself. \
Leave it out: your first is WO-02. These files exist after it, and no other work order writes them."""

_THERE: Final = """\
The repository has `{script}`, which verifies it: keep it and leave it alone. WO-01 is your own."""

_NEITHER: Final = """\
No work order is given, and none writes a script that verifies the repository: WO-01 is your own."""


def first_order_text(given: WorkOrder | None, *, has_script: bool) -> str:
    """What stands for `{{FIRST_WORK_ORDER}}`.

    Args:
        given: the work order that a new plan begins with; None for none.
        has_script: whether the repository has a script that verifies it.
    """
    if given is None:
        return _THERE.format(script=VERIFY_SCRIPT) if has_script else _NEITHER
    paths = " and ".join(f"`{file.path}`" for file in given.fixed_files)
    texts = (quoted_file("given_file", file.path, file.text) for file in given.fixed_files)
    return "\n\n".join([_GIVEN.format(paths=paths), *texts])
