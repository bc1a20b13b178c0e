"""What stands on a terminal while a build goes on: work orders, what is done for each now, and a total.

`board` and what it is made of are pure; `view` draws. Not here: the plain lines for a log, the last words.
May lean on builds, runs and all below them.
"""
