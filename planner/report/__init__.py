"""A plan, impact, trace and graph as text, JSON, Markdown or HTML.

Takes values and gives text. May lean on plan, revision, specification and diagnostics.
"""
