"""Reading acceptance commands: words, programs, needs, strength, predictions, instability. Pure.

Looks at words only, runs nothing and knows no plan. May lean on contract and languages.
"""
