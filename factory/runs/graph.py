"""The LangGraph wiring of a run, and nothing else: SE → TR → PO → proof → finalize; a retry goes to SE."""

from collections.abc import Callable
from functools import partial

from langgraph.graph import END, START, StateGraph

from factory.attempt.routing import after_finalize, after_work
from factory.attempt.state import RunState, final_state
from factory.runs.nodes.deps import Deps
from factory.runs.nodes.finalize import finalize
from factory.runs.nodes.po import examine
from factory.runs.nodes.proof import prove
from factory.runs.nodes.se import propose
from factory.runs.nodes.tr import apply


def execute(deps: Deps, start: RunState) -> RunState:
    """Run the graph to its end.

    Attempts are bounded by `deps.max_attempts` in the state; the recursion limit is that bound in steps, so
    that a bug in the routing can't become an endless bill.

    Args:
        deps: the outside world.
        start: the first attempt's number, and what it knows of the one before.

    Returns:
        The final state, validated.

    Raises:
        Stopped: `deps.stop` asked for it.
    """
    builder: StateGraph[RunState, None, RunState, RunState] = StateGraph(RunState)
    for name, node in (
        ("se", propose),
        ("tr", apply),
        ("po", examine),
        ("proof", prove),
        ("finalize", finalize),
    ):
        builder.add_node(name, partial(_enter, node=node, name=name, deps=deps))
    builder.add_edge(START, "se")
    builder.add_conditional_edges("se", after_work, {"continue": "tr", "finalize": "finalize"})
    builder.add_conditional_edges("tr", after_work, {"continue": "po", "finalize": "finalize"})
    builder.add_conditional_edges("po", after_work, {"continue": "proof", "finalize": "finalize"})
    builder.add_edge("proof", "finalize")
    builder.add_conditional_edges("finalize", after_finalize, {"retry": "se", "end": END})
    return final_state(builder.compile().invoke(start, {"recursion_limit": 5 * deps.max_attempts + 2}))


def _enter(state: RunState, *, node: Callable[[RunState, Deps], RunState], name: str, deps: Deps) -> RunState:
    if deps.stop is not None:
        deps.stop.heed()
    deps.entered(name, state)
    return node(state, deps)
