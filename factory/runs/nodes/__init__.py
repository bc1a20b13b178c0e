"""The nodes of the graph, SE, TR, PO, proof and finalize, and what they may touch.

A node asks a decision, acts on it and returns an update of the state. Decisions belong to attempt, checks to
gates, the wiring to `runs.graph`. Nodes are given what they touch; they import no client.
"""
