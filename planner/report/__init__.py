"""Impact, trace and graph as text, JSON or Markdown.

Takes values and gives text. May lean on plan, revision and diagnostics.
"""
