"""All rules over one document: a reply or a plan on disk becomes diagnostics; the pages of the codes.

Imports no model SDK and no graph library. `on_disk` is the only module that reads files. May lean on rules
and all below.
"""
