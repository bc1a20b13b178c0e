"""The model port, the ledger that remembers every call, and one adapter a file."""
