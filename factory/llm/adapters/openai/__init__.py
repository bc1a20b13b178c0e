"""The adapters of OpenAI's SDK, the only files that know it.

Requests and replies are translated here and nowhere else. May lean on the port and contract.
"""
