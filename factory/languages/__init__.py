"""What is known of programming languages: one folder each, behind the port that the rest asks.

Pure: texts and file names in, values out; nothing is imported or run. Files come through a function that the
caller gives. May lean on contract. Both stages use it.
"""
