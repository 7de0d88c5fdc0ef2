"""Engines on other machines: dask, SLURM, and what ties their workers to the sweep."""
