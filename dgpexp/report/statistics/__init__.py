"""Intervals, paired tests, ranks, and the thesis's claims judged by them."""
