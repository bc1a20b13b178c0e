"""A specification's text: where a quote stands, its paragraphs, items and tables, and what refers to what.

Pure: text in, values out; both stages use it. What of it asks for something, and specifications as data, are
the planner's. May lean on contract.
"""
