"""The LangGraph wiring of a run, nothing else: SE → TR → PO → second pass → proof → finalize, and back."""

import os
from collections.abc import Callable
from functools import partial

from langgraph.graph import END, START, StateGraph

from factory.attempt.routing import Nodes, after_finalize, after_work
from factory.attempt.state import RunState, final_state

# Tracing to a service is the graph library's own feature; source code never leaves through it.
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["LANGCHAIN_TRACING_V2"] = "false"


def execute(
    nodes: Nodes, start: RunState, max_attempts: int, entering: Callable[[str, RunState], None]
) -> RunState:
    """Run the graph to its end.

    Attempts are bounded by the state; the recursion limit is that bound in steps, so that a bug in the
    routing can't become an endless bill.

    Args:
        nodes: what is done at each.
        start: the first attempt's number, and what it knows of the one before.
        max_attempts: the bound.
        entering: called with the name and the state before each node; what it raises ends the run.

    Returns:
        The final state, validated.
    """
    builder: StateGraph[RunState, None, RunState, RunState] = StateGraph(RunState)
    for name, node in nodes.items():
        builder.add_node(name, partial(_enter, node=node, name=name, entering=entering))
    builder.add_edge(START, "se")
    builder.add_conditional_edges("se", after_work, {"continue": "tr", "finalize": "finalize"})
    builder.add_conditional_edges("tr", after_work, {"continue": "po", "finalize": "finalize"})
    builder.add_conditional_edges("po", after_work, {"continue": "second_pass", "finalize": "finalize"})
    builder.add_conditional_edges("second_pass", after_work, {"continue": "proof", "finalize": "finalize"})
    builder.add_edge("proof", "finalize")
    builder.add_conditional_edges("finalize", after_finalize, {"retry": "se", "end": END})
    return final_state(builder.compile().invoke(start, {"recursion_limit": 6 * max_attempts + 2}))


def _enter(
    state: RunState,
    *,
    node: Callable[[RunState], RunState],
    name: str,
    entering: Callable[[str, RunState], None],
) -> RunState:
    entering(name, state)
    return node(state)
