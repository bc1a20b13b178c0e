"""What calls cost: the budget, the meter and the prices.

Counts and refuses; the ledger says what was spent. May lean on the port, the ledger and contract.
"""
