"""Gaussian process regression, exact and by FITC, in plain numpy: small enough to read and to trust.

The deep GPs of this project live in dgpexp/gp and dgpexp/inference. What is here serves as an oracle in their tests,
and draws the figures of the chapters on Gaussian processes.
"""
