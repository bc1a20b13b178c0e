"""The only doors to the outside: processes, files, git, the console, the clock, packaged templates."""
