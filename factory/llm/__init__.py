"""The model port: a request, an answer, and how a prompt's template is filled.

No knowledge of what is asked. Adapters, the ledger and spending have rooms inside. May lean on system and
contract; both stages use it.
"""
