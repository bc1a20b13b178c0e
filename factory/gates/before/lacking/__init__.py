"""What a command says that it lacks and the work order can't bring: then it can never pass; in doubt it can.

One file for whose words are read: pytest's, Python's, those of Node.js, of shells and make; and what a work
order may bring. A command that fails before the work usually fails for want of it, so only what no file that
may be written can mend counts. May lean on the files around it, the contract and a checkout's files.
"""
