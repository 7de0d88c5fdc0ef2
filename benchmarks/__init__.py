"""Measurements, never tests: how long a step takes, against which peers, and how it grows with the data."""
