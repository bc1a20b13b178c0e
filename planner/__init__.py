"""The front end: compiles a product specification into a plan of work orders.

Runs nothing of a plan. Of `factory` it uses contract, plans, llm and system and nothing else, which import
rules hold.
"""
