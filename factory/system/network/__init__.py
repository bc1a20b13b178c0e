"""Which hosts a confined command may reach, and the proxy that keeps to them, outside of the sandbox.

Who gets a network, and which, is decided elsewhere. Starts no process. May lean on contract.
"""
