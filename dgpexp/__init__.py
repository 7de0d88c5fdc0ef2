"""dgpexp: deep Gaussian processes by VI, AEP and AEPMCM under one protocol."""

__version__ = "0.1.0"
