"""From what a model answered to the proposal that it means: edits made, what stays filled in.

Pure. What a prompt shows belongs to attempt itself, what may be written to scope. May lean on contract and on
the types of llm.
"""
