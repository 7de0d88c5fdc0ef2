"""The figures of chapters 2 and 3: Gaussian processes, sparse ones, divergences."""
