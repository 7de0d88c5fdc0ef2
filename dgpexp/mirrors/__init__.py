"""Copies of runs in the databases that Sacred's users look at, made from the run folders, which are the truth."""
