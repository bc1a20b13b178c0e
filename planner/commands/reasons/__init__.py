"""Why a plan is revised: what `planner revise` and `planner impact` read and compare for that.

Here is what a user gives as a reason: a failure, a changed specification, words. What follows from it is
decided in `revision`, and asked for in `compile`. May lean on all that is below the commands, on options and
inputs.
"""
