"""`factory retry`: tries a work order that has failed once more, now."""

import os
from argparse import Namespace

from factory.attempt.exit_codes import ExitCode
from factory.commands.options import add_named, ledger_folder
from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Commands, price_text
from factory.system.terminal.console import Console
from factory.system.terminal.exit_code import epilog


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "retry",
        help="try a work order that has failed once more, now",
        description="Try a work order that has failed once more: it gets one attempt more than it has had,"
        " and the build, or run, goes on as it was called last.",
        epilog=epilog(ExitCode),
    )
    add_named(command)
    command.add_argument(
        "--llm", metavar="MODEL", help="who makes this one attempt (default: whom the build asks)"
    )
    command.add_argument(
        "--price",
        type=price_text,
        metavar="INPUT,OUTPUT[,CACHED[,WRITE]]",
        help="US dollars for a million tokens of that model, if its price is not known",
    )
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Give it an attempt, and go on; the exit code is that of the build or run.

    Raises:
        WorkorderError: nothing was tried under that id, it has landed or is left out, how it was called is
            not known, or the model can't be asked.
    """
    from factory.commands.people.called import again
    from factory.commands.people.said import said_of
    from factory.commands.people.skip import require_attempted
    from factory.people.hints import add_hint
    from factory.runs.record.tried import named

    order = named(options.named, options.out)
    hint = said_of(order)
    called = again(order)
    require_attempted(order)
    if options.llm is not None:
        hint = hint.model_copy(update=_other(options, called.options))
    add_hint(called.options.out, hint)
    by = f" by {hint.llm}" if hint.llm else ""
    if not called.options.quiet:
        console.progress(f"{hint.work_order}: attempt {hint.after + 1}{by}, as {hint.author} says")
    return called.retry(hint.work_order, console)


def _other(options: Namespace, called: Namespace) -> dict[str, str]:
    """Who makes the attempt, and what that costs.

    Raises:
        WorkorderError: there is no such model, it can't be asked, or it may not be written down.
    """
    from factory.commands.people.said import spoken
    from factory.llm.adapters.select import select_model
    from factory.llm.ledger.store import Ledger
    from factory.people.hints import MAX_HINT_CHARS

    if called.engineer is not None:
        raise WorkorderError(
            "an agent has the place of all models in this build",
            where="--llm",
            hint="leave it out: the agent tries again",
        )
    llm = spoken(options.llm, "--llm", MAX_HINT_CHARS)
    # Now, because a name that is mistaken would stand in the record for good.
    select_model(llm, stage="factory", ledger=Ledger(ledger_folder(called)), environment=os.environ)
    return {"llm": llm, "price": options.price or ""}
