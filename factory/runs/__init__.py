"""One work order from preflight to record: the graph and what surrounds it.

Where a run starts, how it ends and what wires its nodes belongs here; the order of many does not. May lean on
gates, checkout, repository and the decisions of attempt.
"""
