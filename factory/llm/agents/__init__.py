"""Agents as engineers: programs that change files in a checkout of their own, behind the port of models.

An agent is a `Model` whose answer is what it changed; the ledger, budgets and the meter know no difference.
What it may touch is decided above. May lean on the port, system and contract.
"""
