"""Decisions about one attempt. Pure: values in, values out.

The prompt, the brief, scope, routing, exit codes and what a failure is. Nothing here touches the disk, a
process or the clock; import rules hold that. May lean on the types of llm, on system's console for visible
text, and on contract.
"""
