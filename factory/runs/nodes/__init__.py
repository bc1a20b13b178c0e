"""The nodes of the graph, SE, TR, PO, second pass, proof and finalize, each given what it touches.

A node asks a decision, acts on it and returns an update of the state. Decisions belong to attempt, checks to
gates, the wiring to `runs.graph`. Nodes import no client.
"""
