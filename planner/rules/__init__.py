"""The rules that need the specification or the plan that is amended, and the table of all rules. Pure.

One file a code, as in `factory.plans.rules`, which has the others and says what a rule is. May lean on
revision and all below.
"""
