"""Predictive distributions, and how good they are."""
