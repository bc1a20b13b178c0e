"""What each of the programs begins with: the pipe by which it reports, and the path without the checkout.

Started as `python [OPTIONS] -c START WORD_FD,REPORT_FD,TEXT_FD PYTHONPATH WORD…`, where START executes the
text of this file and of another as one, read from TEXT_FD. The word that makes a report ours comes by
WORD_FD, and not by what other processes could read: the command line or the environment.
"""

# Built in, so that no file can take its place: `python -c` has the current directory first on its path.
import sys

OWN_NAME = "<workorder>"
"""What these programs are called, also in tracebacks, from which they are taken."""

_HAS_PLACE = __name__ == OWN_NAME and not getattr(sys.flags, "safe_path", sys.flags.isolated)
if _HAS_PLACE:
    sys.path.pop(0)

import os  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_PR_SET_DUMPABLE = 4


def begin() -> "tuple[Callable[[bytes], None], str, list[str]]":
    """Close to everybody else what only this process may use.

    Returns:
        What hands over a report, once; the PYTHONPATH that the command asked for; the words of the command
        after those of the interpreter.
    """
    descriptors, searched, *words = sys.argv[1:]
    word_fd, report_fd, text_fd = (int(number) for number in descriptors.split(","))
    word = os.read(word_fd, 100)
    os.close(word_fd)
    os.close(text_fd)
    os.set_inheritable(report_fd, False)
    close_to_others()
    own = os.getpid()
    handed: list[bool] = []

    def hand_over(report: bytes) -> None:
        # A child that was forked runs the same code to its end.
        if handed or os.getpid() != own:
            return
        handed.append(True)
        rest = word + b"\n" + report + b"\n"
        while rest:
            rest = rest[os.write(report_fd, rest) :]
        os.close(report_fd)

    def forget() -> None:
        if not handed:
            os.close(report_fd)

    os.register_at_fork(after_in_child=forget)
    return hand_over, searched, words


def take_place(place: str, searched: str) -> None:
    """Let modules be found where the command itself would find them.

    Args:
        place: what the interpreter puts first.
        searched: the PYTHONPATH that the command sets for itself.
    """
    if searched:
        os.environ["PYTHONPATH"] = searched
        if not sys.flags.ignore_environment:
            sys.path[:0] = [os.path.abspath(entry or ".") for entry in searched.split(os.pathsep)]
    if _HAS_PLACE:
        sys.path.insert(0, place)


def name_words(*words: str) -> None:
    """Let the interpreter's own command line read as it was written."""
    if hasattr(sys, "orig_argv"):
        ours = len(sys.argv) + 1
        sys.orig_argv[:] = [*sys.orig_argv[:-ours], *words]


def raise_as_own() -> None:
    """Let the exception that is being handled end the process as if no program of ours were around it."""
    shown = sys.excepthook

    def without_ours(
        kind: "type[BaseException]", error: BaseException, trace: "TracebackType | None"
    ) -> None:
        sys.excepthook = shown
        # The first is the interpreter's own `-c`.
        trace = trace.tb_next if trace is not None else None
        while trace is not None and trace.tb_frame.f_code.co_filename == OWN_NAME:
            trace = trace.tb_next
        shown(kind, error.with_traceback(trace), trace)

    sys.excepthook = without_ours


def is_of_import(error: BaseException) -> bool:
    """Whether an exception was raised while a module was being imported."""
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        # The interpreter takes its own frames of an import from the traceback.
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") not in (
            "__main__",
            OWN_NAME,
        ):
            return True
        trace = trace.tb_next
    return False


def close_to_others() -> None:
    """Keep other processes of the same user out of the memory and the descriptors of this one."""
    if sys.platform != "linux":
        return
    try:
        # ctypes itself takes longer to import than all the rest.
        import _ctypes

        prctl = _ctypes.dlsym(_ctypes.dlopen(None, os.RTLD_NOW), "prctl")  # type: ignore[arg-type]
        _ctypes.call_function(prctl, (_PR_SET_DUMPABLE, 0, 0, 0, 0))
    except (ImportError, AttributeError, OSError):
        # An interpreter without it has no way to ask.
        return
