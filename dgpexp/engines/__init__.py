"""Engines distribute the runs of a sweep over processes, here or on a cluster."""
