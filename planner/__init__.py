"""The front end: compiles a product specification into a plan of work orders. Runs nothing of a plan."""
