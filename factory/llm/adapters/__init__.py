"""One adapter a file, and `select`, which finds the one that `--llm` names.

An adapter turns a request into an answer or a `ProviderError`, and remembers nothing: that is the ledger's
part. May lean on the port, system and contract.
"""
