"""Files that are bounded, atomic and reached without links, and the lock.

Every name may be hostile. What a file means is for the reader. May lean on contract.
"""
