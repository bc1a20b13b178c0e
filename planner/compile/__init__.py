"""The loop: ask a model, check its answer, ask it to revise, write the plan.

A revision goes through the same loop (`amending`). Rules and prompts have rooms of their own. May lean on
check, prompt, revision and all below.
"""
