"""The report of a build or a run, for people who were not there: HTML, Markdown, JUnit's XML, JSON.

`story` reads the folders into values, and each other module writes them in one form. What a model or a
command wrote is hostile to all of them. May lean on what `report` may lean on.
"""
