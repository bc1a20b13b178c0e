"""What the commit of a passed attempt says: its message, its trailers, who made it.

Pure: whether and where it lands is for `repository`. May lean on what an attempt found, and on the contract.
"""
