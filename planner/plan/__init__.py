"""What a plan means to its specification: the trace. Pure.

What it means without one is for `factory.plans`. May lean on specification and contract.
"""
