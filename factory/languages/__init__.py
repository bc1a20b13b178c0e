"""What is known of programming languages: one folder each, behind the port that the rest asks.

Pure: texts and file names in, values out; nothing is imported or run. Files come through a function that the
caller gives. May lean on contract, and on how a terminal shows text. Both stages use it.
"""
