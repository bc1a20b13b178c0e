"""Commands that show a plan, or compare two: nothing is asked, judged or written.

May lean on what commands lean on, and on their options and inputs.
"""
