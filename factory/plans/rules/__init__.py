"""What a rule is, what it looks at, and the table of those that need no specification. Pure.

One file a code, whose docstring is its page, in the room of its subject. Severities and pages are the rule's
own; rendering is for diagnostics. May lean on states and all below.
"""
