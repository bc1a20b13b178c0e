"""What both stages agree on: the documents, their limits, their hashes, and strict reading of JSON.

Pure values. No disk, clock, chance, process or network.
"""
