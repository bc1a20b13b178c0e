"""Runs code of the project, reports when it ended by itself, and fails as if nothing were around it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from factory.gates.verdict.programs.begin import is_of_import, raise_as_own
    from factory.gates.verdict.programs.unchanged import ended


def _anywhere() -> bool:
    return True


def run_to_its_end(
    code: "Callable[[], None]",
    hand_over: "Callable[[bytes], None]",
    replaced: "Callable[[], list[str]]",
    may_exit: "Callable[[], bool]" = _anywhere,
) -> None:
    """Run the code, and report where it has ended by itself.

    Args:
        code: calls it.
        hand_over: hands over the report, see `begin`.
        replaced: names what the code has replaced, see `remember`.
        may_exit: whether an exit with 0 would be an end where the code is now.

    Raises:
        BaseException: whatever the code raised; its traceback shows nothing of this.
    """
    try:
        code()
    except SystemExit as end:
        if end.code in (None, 0) and may_exit() and not is_of_import(end):
            hand_over(ended(replaced()))
        raise
    except BaseException:
        raise_as_own()
        raise
    hand_over(ended(replaced()))
