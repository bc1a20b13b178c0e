"""Reading files out of the replies of models that don't keep to JSON: mended JSON, and fenced blocks.

Pure, text in and values out. What a reply means for the attempt is decided in `parse`. May lean on contract.
"""
