"""The engine on Dask's distributed: the only files that know it. An extra; imported when it is asked for."""
