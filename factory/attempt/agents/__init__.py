"""Attempts of agents: what they are told, and what their changes are. Pure.

Running one belongs to `factory.llm.agents`. May lean on attempt and what that leans on.
"""
